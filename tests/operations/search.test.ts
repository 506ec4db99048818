import { beforeEach, describe, expect, it } from 'vitest';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { type SearchOutput, search } from '../../src/operations/search.ts';
import { RESERVED_CREATE_ID, RESERVED_REFINE_ID, stepUri } from '../../src/protocol/identity.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';

let ctx: TestContext;
beforeEach(async () => {
  ctx = await makeContext();
});

const doc = (title: string, trigger: string) =>
  `# ${title}\n\nAbout it.\n\n## Natural Language Triggers\n\n- "${trigger}"\n\n${stepOf('Begin here', 'Do it.', null)}\n${stepOf('End here', 'Done.', null)}`;
const reservedChoices = (['refine', 'create'] as const).map((role) => {
  const uri = stepUri(role === 'create' ? RESERVED_CREATE_ID : RESERVED_REFINE_ID, 1);
  return {
    uri,
    label: expect.any(String),
    chain_label: role === 'create' ? 'Create a protocol' : 'Refine a search',
    score: null,
    role,
    tags: expect.any(Array),
    next_action: `call kairos_begin with ${uri}`,
    protocol_version: '1.0.0',
  };
});

describe('search', () => {
  it.each([
    ['Refactor the load balancer config generator in Go, and add table-driven tests for it.', false],
    ['Please take web2 out of the load balancer, its disk is failing and customers notice.', true],
    ['Please drain the load balancer in front of web2 before the maintenance of tonight.', true],
  ])('recommends the protocol whose task a long request names: %s', async (query, isClear) => {
    await mint(ctx, { markdown_doc: doc('Drain a load balancer', 'take a node out of the load balancer') });
    const { choices, start_here: first } = (await search(ctx, { query })) as SearchOutput;
    expect(choices[0]?.chain_label).toBe('Drain a load balancer');
    expect(first !== undefined).toBe(isClear);
  });

  it('leads straight to the one match that stands clear', async () => {
    const { items } = await mint(ctx, { markdown_doc: doc('Release the docs', 'ship the manual') });
    await mint(ctx, { markdown_doc: doc('Restore a backup', 'we lost data') });
    const answer = await search(ctx, { query: 'ship the manual' });
    expect(answer).toEqual({
      must_obey: true,
      message: expect.any(String),
      next_action: "Follow the choice's next_action.",
      protocol_status: 'match',
      choices: [
        {
          uri: items[0]!.uri,
          label: 'Begin here',
          chain_label: 'Release the docs',
          description: 'About it.',
          score: expect.any(Number),
          role: 'match',
          tags: [],
          next_action: `call kairos_begin with ${items[0]!.uri}`,
          protocol_version: null,
        },
      ],
      start_here: items[0]!.uri,
      chain_label: 'Release the docs',
      total_steps: 2,
    });
  });

  it('reports an empty space instead of asking for a new protocol', async () => {
    await mint(ctx, { markdown_doc: doc('Release the docs', 'ship the manual') });
    const { message } = await search(ctx, { query: 'ship the manual', space: 'nowhere' });
    expect(message).toContain('There are no protocols in that space here');
    await mint(ctx, { markdown_doc: doc('Restore a backup', 'we lost data'), space: 'somewhere' });
    expect((await search(ctx, { query: 'ship the manual', space: 'somewhere' })).message).toMatch(
      /^No protocol matches/,
    );
  });

  it('shows what each possible protocol is for, in one short line', async () => {
    const long = `It ships\nthe manual <!-- hidden -->to ${'all the readers '.repeat(20)}`;
    const descriptions = [`${long}\n\nMore about it.`, 'Only for the *printed* manual.', ''];
    for (const [at, text] of descriptions.entries()) {
      const markdown = doc(`Ship manual ${'abc'[at]}`, 'ship the manual').replace('About it.', text);
      await mint(ctx, { markdown_doc: markdown, force_update: true });
    }
    const { choices } = await search(ctx, { query: 'ship the manual' });
    const matches = choices.filter(({ role }) => role === 'match');
    const shown = new Map(matches.map(({ chain_label: title, description }) => [title, description]));
    expect(shown.get('Ship manual a')).toMatch(
      /^It ships the manual to all the readers .* (?:all|the|readers)…$/,
    );
    expect(shown.get('Ship manual a')!.length).toBeLessThanOrEqual(160);
    expect(shown.get('Ship manual b')).toBe('Only for the *printed* manual.');
    expect(matches.find(({ chain_label: title }) => title === 'Ship manual c')).not.toHaveProperty(
      'description',
    );
    expect(choices.filter(({ role, description }) => role !== 'match' && description !== undefined)).toEqual(
      [],
    );
  });

  it('offers to refine or create, and only that, when nothing matches', async () => {
    await mint(ctx, { markdown_doc: doc('Release the docs', 'ship the manual') });
    const answer = await search(ctx, { query: 'qwxyz flurbl' });
    expect(answer).toEqual({
      must_obey: true,
      message: expect.any(String),
      next_action: "Pick one choice and follow that choice's next_action.",
      protocol_status: 'no_protocol',
      choices: reservedChoices,
    });
  });

  it('reports which part of a request it read, when it is too long', async () => {
    await mint(ctx, { markdown_doc: doc('Release the web docs', 'web') });
    const message = async (query: string) => (await search(ctx, { query })).message;
    expect(await message(`${'so much talk '.repeat(400)} release the web docs`)).toBe(
      'One protocol matches.',
    );
    const note = 'The request is too long: only its first 1,500 words and 32 phrasings were read.';
    expect(await message(`release the web docs ${'so much talk '.repeat(3000)}`)).toBe(
      `One protocol matches. ${note}`,
    );
    const many = Array.from({ length: 40 }, (_, at) => `weather${at}`);
    expect(await message([...many, 'release the web docs'].join(' | '))).toMatch(
      `create a protocol only when none fits. ${note}`,
    );
    expect(await message([...many.slice(0, 20), 'release the web docs'].join(' | '))).toBe(
      'One protocol matches.',
    );
  });

  it('reports one match where there is only one, and it is not clear', async () => {
    await mint(ctx, { markdown_doc: doc('Release the web docs', 'web') });
    const answer = await search(ctx, { query: 'docs about penguins and volcanoes' });
    expect(answer.choices.map(({ role }) => role)).toEqual(['match', 'refine', 'create']);
    expect(answer).toMatchObject({
      protocol_status: 'partial_match',
      message:
        'One protocol may match. Follow it if it fits. Otherwise search again with several other phrasings in one query (a | b | c); create a protocol only when none fits.',
    });
  });

  it('lists matches first, then the two ways out, when several match', async () => {
    await mint(ctx, { markdown_doc: doc('Release the web docs', 'web') });
    await mint(ctx, { markdown_doc: doc('Release the print docs', 'print') });
    const answer = await search(ctx, { query: 'release docs' });
    expect(answer.protocol_status).toBe('partial_match');
    expect(answer.choices.map(({ role }) => role)).toEqual(['match', 'match', 'refine', 'create']);
    expect(answer.choices[0]!.score).toBeLessThanOrEqual(1);
  });

  it("looks only in the space that is asked for, by default the caller's", async () => {
    await mint(ctx, { markdown_doc: doc('Release the docs', 'ship the manual'), space: 'team' });
    expect((await search(ctx, { query: 'release docs' })).protocol_status).toBe('no_protocol');
    expect((await search(ctx, { query: 'release docs', space: 'team' })).protocol_status).toBe('match');
  });

  it('is still the meaning of begin with a query, and reports it', async () => {
    const answer = (await begin(ctx, { query: 'anything' })) as SearchOutput;
    expect(answer.protocol_status).toBe('no_protocol');
    expect(answer.message).toContain('Deprecated');
  });
});

describe('the protocols that are part of the tool', () => {
  it('can be begun in any space by URI and by slug', async () => {
    const elsewhere = { ...ctx, caller: { ...ctx.caller, space: 'team' } };
    for (const input of [{ uri: stepUri(RESERVED_CREATE_ID, 1) }, { key: 'refine-a-search' }]) {
      const begun = (await begin(elsewhere, input)) as RunFields;
      expect(begun.error_code).toBeUndefined();
      expect(begun.message ?? '').not.toContain('not trusted');
    }
  });

  it('names its steps in begin as everywhere else', async () => {
    const second = stepUri(RESERVED_CREATE_ID, 2);
    expect(await begin(ctx, { uri: second })).toEqual({
      must_obey: true,
      next_action: `call kairos_begin with ${stepUri(RESERVED_CREATE_ID, 1)}`,
      protocol_status: 'blocked',
      message: 'A run begins at the first step of its protocol.',
      error_code: 'NOT_FIRST_STEP',
    });
  });
});

it.each(['', ' \n'])('rejects an empty request: %j', async (query) => {
  const ctx = await makeContext();
  await expect(search(ctx, { query })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: 'query: is missing',
  });
});
