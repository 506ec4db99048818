import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { begin } from '../../src/operations/begin.ts';
import { deleteChains } from '../../src/operations/delete.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { spaces } from '../../src/operations/spaces.ts';
import { update } from '../../src/operations/update.ts';
import { loosened } from '../../src/operations/weaken.ts';
import { chainId, RESERVED_REFINE_ID, stepUri } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import { type StepBlock, stepBlockSchema } from '../../src/protocol/schema.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';

let ctx: TestContext;
let uris: string[];
const ID = chainId('default', 'water-the-plants');
beforeEach(async () => {
  ctx = await makeContext();
  const { items } = await mint(ctx, {
    markdown_doc: protocolOf(['shell', 'comment', 'none'], 'Water the plants'),
  });
  uris = items.map(({ uri }) => uri);
});
const head = async () => (await ctx.store.head(ID))!;

describe('update and delete', () => {
  it('throw what the store cannot do, and answer for a URI that others are always faster with', async () => {
    const { store } = ctx;
    const down = new KairosError('STORE_UNAVAILABLE', 'the store is down');
    const fails = () => Promise.reject(down);
    const broken = { ...ctx, store: { ...store, head: fails, resolveStep: fails, deleteChain: fails } };
    const change = { uris: [uris[0]!], updates: { label: 'New' } };
    await expect(update(broken, change)).rejects.toBe(down);
    await expect(deleteChains(broken, { uris: [uris[0]!] })).rejects.toBe(down);
    const late = { ...ctx, store: { ...store, putRevision: async () => 'conflict' as const } };
    expect(await update(late, change)).toEqual({
      results: [{ uri: uris[0], status: 'error', message: expect.stringContaining('other writers') }],
      total_updated: 0,
      total_failed: 1,
    });
  });
});

describe('update', () => {
  it("replaces a step's body and block, and keeps the addresses", async () => {
    const text =
      'Look closely.\n\n```json\n{"proof_of_work": {"type": "comment", "comment": {"min_length": 60}}}\n```\n';
    expect(await update(ctx, { uris: [uris[1]!], markdown_doc: [text] })).toEqual({
      results: [{ uri: uris[1], status: 'updated', message: expect.stringContaining('revision 2') }],
      total_updated: 1,
      total_failed: 0,
    });
    expect((await head()).content.steps[1]).toEqual({
      label: 'Part 2 comment',
      body: 'Look closely.',
      block: { proof_of_work: { type: 'comment', comment: { min_length: 60 }, required: true } },
    });
  });

  it('replaces a whole chain by its head, and keeps the slug when the title changes', async () => {
    const text = protocolOf(['shell', 'comment', 'none'], 'Water every plant');
    await update(ctx, { uris: [uris[0]!], markdown_doc: [text] });
    const { content } = await head();
    expect({ slug: content.slug, title: content.title }).toEqual({
      slug: 'water-the-plants',
      title: 'Water every plant',
    });
  });

  it('changes label, text and tags, and leaves the demand where the text has none', async () => {
    await update(ctx, {
      uris: [uris[0]!],
      updates: { label: 'Fill the can', text: 'With rain.', tags: ['home'] },
    });
    const { content } = await head();
    expect(content.tags).toEqual(['home']);
    expect(content.steps[0]).toMatchObject({ label: 'Fill the can', body: 'With rain.' });
    expect(content.steps[0]!.block?.proof_of_work?.type).toBe('shell');
  });

  it('answers for each address by itself', async () => {
    const unknown = stepUri(chainId('default', 'nothing'), 1);
    const reserved = stepUri(RESERVED_REFINE_ID, 1);
    const answer = await update(ctx, { uris: [unknown, reserved, uris[2]!], updates: { text: 'Done.' } });
    expect(answer).toMatchObject({ total_updated: 1, total_failed: 2 });
    expect(answer.results.map(({ message }) => message.split(':')[0])).toEqual([
      'NOT_FOUND',
      'READ_ONLY',
      expect.stringContaining('Stored as revision'),
    ]);
    await expect(update(ctx, { uris, markdown_doc: ['one'] })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(update(ctx, { uris })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('refuses a removed or loosened demand where it may not weaken; otherwise begin reports it', async () => {
    const strict = { ...ctx, allowWeaken: false };
    const looser = '```json\n{"proof_of_work": {"type": "comment"}}\n```\n';
    const refused = await update(strict, { uris: [uris[1]!], markdown_doc: [looser] });
    expect(refused.results[0]).toMatchObject({
      status: 'error',
      message: expect.stringContaining('READ_ONLY'),
    });
    const whole = protocolOf(['none', 'comment', 'none'], 'Water the plants');
    await expect(mint(strict, { markdown_doc: whole, force_update: true })).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
    await update(ctx, { uris: [uris[1]!], markdown_doc: [looser] });
    const begun = (await begin(ctx, { uri: uris[0]! })) as RunFields;
    expect(begun.message).toContain('Revision 2 of this protocol loosened a demand');
  });
});

describe('delete', () => {
  it('unlists a chain only by its head; its runs continue', async () => {
    const begun = (await begin(ctx, { uri: uris[0]! })) as RunFields;
    const answer = await deleteChains(ctx, {
      uris: [uris[1]!, uris[0]!, uris[0]!, stepUri(RESERVED_REFINE_ID, 1)],
    });
    expect(answer).toMatchObject({ total_deleted: 1, total_failed: 3 });
    expect(answer.results[0]!.message).toContain(uris[0]);
    expect(answer.results[3]!.message).toContain('READ_ONLY');
    await expect(begin(ctx, { uri: uris[0]! })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const shown = await next(ctx, { uri: uris[0]!, run_id: begun.run_id! });
    expect(shown.challenge).toMatchObject({ type: 'shell' });
  });
});

it('spaces lists what is in them', async () => {
  await mint(ctx, { markdown_doc: protocolOf(['none'], 'Elsewhere'), space: 'team' });
  expect(await spaces(ctx, { include_chain_titles: true })).toEqual({
    spaces: [
      { name: 'default', chain_count: 1, chains: ['Water the plants'] },
      { name: 'team', chain_count: 1, chains: ['Elsewhere'] },
    ],
  });
});

describe('loosened', () => {
  const chain = (...blocks: (object | null)[]): ChainContent => ({
    slug: 's',
    title: 't',
    version: null,
    tags: [],
    description: '',
    triggers: null,
    completion_rule: null,
    steps: blocks.map((block, at) => ({
      label: `${at}`,
      body: '',
      block: block === null ? null : (stepBlockSchema.parse(block) as StepBlock),
    })),
  });
  const shell = (more: object = {}, beside: object = {}) => ({
    proof_of_work: { type: 'shell', shell: { cmd: 'make', ...more }, ...beside },
  });
  const note = (min_length: number) => ({ proof_of_work: { type: 'comment', comment: { min_length } } });

  const cases: [name: string, before: ChainContent, after: ChainContent, looser: boolean][] = [
    ['the same', chain(shell()), chain(shell()), false],
    ['a further step', chain(shell()), chain(note(5), shell()), false],
    ['a pattern added', chain(shell()), chain(shell({ stdout_matches: 'ok' })), false],
    ['assurance raised', chain(shell()), chain(shell({}, { assurance: 'observed' })), false],
    ['optional made required', chain(shell({}, { required: false })), chain(shell()), false],
    ['a longer comment', chain(note(20)), chain(note(40)), false],
    ['a default comment made a command', chain(null, null, null), chain(null, shell(), null), false],
    ['another command', chain(shell()), chain(shell({ cmd: 'true' })), true],
    ['a pattern taken away', chain(shell({ stdout_matches: 'ok' })), chain(shell()), true],
    [
      'assurance lowered',
      chain(shell({}, { assurance: 'observed' })),
      chain(shell({}, { assurance: 'client' })),
      true,
    ],
    ['assurance dropped', chain(shell({}, { assurance: 'observed' })), chain(shell()), true],
    ['required made optional', chain(shell()), chain(shell({}, { required: false })), true],
    ['a shorter comment', chain(note(40)), chain(note(20)), true],
    ['a command made a comment', chain(shell()), chain(note(200)), true],
    ['a step gone', chain(shell(), note(20)), chain(shell()), true],
    ['steps changed places', chain(shell(), note(20)), chain(note(20), shell()), true],
    ['outputs dropped', chain({ ...shell(), outputs: [{ path: 'a' }] }), chain(shell()), true],
    ['a proposal dropped', chain({ ...shell(), proposal: { action_type: 'write' } }), chain(shell()), true],
    ['the terminal handed over', chain(shell()), chain(shell({ interactive: true })), true],
  ];
  for (const [name, before, after, looser] of cases) {
    it(`${looser ? 'sees' : 'allows'}: ${name}`, () => {
      expect(loosened(before, after) !== null).toBe(looser);
    });
  }

  it('never calls a chain looser than itself', () => {
    const block = fc.constantFrom(
      null,
      shell(),
      note(30),
      shell({ stdout_matches: 'x' }, { required: false }),
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), (blocks) => {
        expect(loosened(chain(...blocks), chain(...blocks))).toBeNull();
      }),
    );
  });
});
