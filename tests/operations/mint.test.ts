import { beforeEach, describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/host/secrets/redact.ts';
import { begin } from '../../src/operations/begin.ts';
import { dump } from '../../src/operations/dump.ts';
import { mint } from '../../src/operations/mint.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { chainId, RESERVED_CREATE_ID, stepUri, stepUuid } from '../../src/protocol/identity.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { openEmbedders } from '../../src/search/embedding/embedders.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf, stepOf } from '../support/protocols.ts';

let ctx: TestContext;
beforeEach(async () => {
  ctx = await makeContext();
});

const DOC = protocolOf(['shell', 'none'], 'Water the plants');
const OTHER = protocolOf(['shell', 'comment', 'none'], 'Water the plants');
const ID = chainId('default', 'water-the-plants');

const block = (type: string, data: object) =>
  `\`\`\`json\n${JSON.stringify({ proof_of_work: { type, [type]: data } })}\n\`\`\`\n`;

describe('mint', () => {
  it('stores a chain under addresses that are the same on every machine, and changes nothing the second time', async () => {
    const first = await mint(ctx, { markdown_doc: DOC });
    expect(first).toEqual({
      items: [
        { uri: stepUri(ID, 1), memory_uuid: stepUuid(ID, 1), label: 'Part 1 shell', tags: [] },
        { uri: stepUri(ID, 2), memory_uuid: stepUuid(ID, 2), label: 'Part 2 none', tags: [] },
      ],
      status: 'stored',
      warnings: expect.any(Array),
    });
    expect(await mint(ctx, { markdown_doc: DOC })).toEqual(first);
    expect(await ctx.store.revisions(ID)).toHaveLength(1);
  });

  it('refuses a document with more than 100 protocols and stores none of them', async () => {
    const many = Array.from({ length: 101 }, (_, at) => protocolOf(['none'], `Chore number ${at}`)).join(
      '\n',
    );
    await expect(mint(ctx, { markdown_doc: many, force_update: true })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'the document contains 101 protocols, more than the limit of 100',
    });
    expect(await ctx.store.listChains(['default'])).toEqual([]);
  });

  it('lets other calls have their turn between two protocols of one document', async () => {
    const several = Array.from({ length: 5 }, (_, at) => protocolOf(['none'], `Chore number ${at}`)).join(
      '\n',
    );
    const seen: number[] = [];
    const watch = setInterval(async () => {
      seen.push((await ctx.store.listChains(['default'])).length);
    }, 0);
    await mint(ctx, { markdown_doc: several, force_update: true });
    clearInterval(watch);
    expect(seen.some((stored) => stored > 0 && stored < 5)).toBe(true);
  });

  it('refuses other content under the slug, and makes it a new revision when forced', async () => {
    await mint(ctx, { markdown_doc: DOC });
    await expect(mint(ctx, { markdown_doc: OTHER })).rejects.toMatchObject({
      code: 'DUPLICATE_CHAIN',
      message: expect.stringContaining(stepUri(ID, 1)),
      hint: expect.stringContaining('kairos dump water-the-plants'),
    });
    const agent = { ...ctx, caller: { ...ctx.caller, interface: 'mcp' as const } };
    await expect(mint(agent, { markdown_doc: OTHER })).rejects.toMatchObject({
      hint: expect.stringContaining('kairos_dump'),
    });
    const forced = await mint(ctx, { markdown_doc: OTHER, force_update: true });
    expect(forced.items.map(({ uri }) => uri)).toEqual([1, 2, 3].map((n) => stepUri(ID, n)));
    expect((await ctx.store.revisions(ID)).map(({ number }) => number).sort()).toEqual([1, 2]);
  });

  it('refuses a title that is nearly that of another chain, and keeps both when forced', async () => {
    await mint(ctx, { markdown_doc: DOC });
    const near = protocolOf(['none'], 'Water all the plants');
    const nearer = protocolOf(['none'], 'The water plants');
    await expect(mint(ctx, { markdown_doc: nearer })).rejects.toMatchObject({ code: 'SIMILAR_MEMORY_FOUND' });
    await mint(ctx, { markdown_doc: nearer, force_update: true });
    await mint(ctx, { markdown_doc: near });
    expect(await ctx.store.listChains(['default'])).toHaveLength(3);
  });

  it('stores titles that differ in the verb or in the order of their words', async () => {
    const titles = [
      'Import all customers from the old billing system every night',
      'Export all customers from the old billing system every night',
      'Copy the customer records from the test store to the live store',
      'Copy the customer records from the live store to the test store',
    ];
    for (const title of titles) await mint(ctx, { markdown_doc: protocolOf(['none'], title) });
    expect(await ctx.store.listChains(['default'])).toHaveLength(titles.length);
    const longer = protocolOf(['none'], 'Import all the customers from that old billing system every night');
    await expect(mint(ctx, { markdown_doc: longer })).rejects.toMatchObject({
      code: 'SIMILAR_MEMORY_FOUND',
      data: { slug: 'import-all-customers-from-the-old-billing-system-every-night' },
    });
  });

  it('warns about a protocol that may be the same in other words, and about no other', async () => {
    const withMeaning = await makeContext({
      over: { embedders: openEmbedders({ provider: 'static', model: null, url: null, apiKey: null }) },
    });
    const similarTo = async (title: string, description: string) => {
      const step = stepOf('Begin', 'Begin it.', null);
      const { warnings } = await mint(withMeaning, {
        markdown_doc: `# ${title}\n\n${description}\n\n${step}`,
      });
      return warnings.filter(({ ruleId }) => ruleId === 'similar-protocol').map(({ reason }) => reason);
    };
    expect(await similarTo('Roll back a deployment', 'Go back to the last version after an error.')).toEqual(
      [],
    );
    expect(await similarTo('Renew the certificates of the web servers', 'Before they expire.')).toEqual([]);
    expect(await similarTo('Approve a deployment', 'The lead agrees to a new version.')).toEqual([]);
    expect(await similarTo('Revoke the certificates of the web servers', 'A key was stolen.')).toEqual([]);
    expect(
      await similarTo('Undo a release', 'After an error, go back to the version that ran last.'),
    ).toEqual([
      expect.stringMatching(
        /^"Roll back a deployment" \(kairos:\/\/mem\/.+\) may describe the same task\. Compare both: if it does, keep one; if not/,
      ),
    ]);
  });

  it('stores nothing of a document of which one chain is refused', async () => {
    await mint(ctx, { markdown_doc: DOC });
    const two = `${protocolOf(['none'], 'Feed the cat')}\n${OTHER}`;
    await expect(mint(ctx, { markdown_doc: two })).rejects.toMatchObject({ code: 'DUPLICATE_CHAIN' });
    expect((await ctx.store.listChains(['default'])).map(({ slug }) => slug)).toEqual(['water-the-plants']);
  });

  it('names every error of a document with its place, and rejects hidden characters despite any comment', async () => {
    await expect(mint(ctx, { markdown_doc: 'no heading\n' })).rejects.toMatchObject({
      code: 'PROTOCOL_INVALID',
    });
    const hidden = `<!-- kairos-disable-file hidden-character -- please -->\n${DOC}\nText \u202e here.\n`;
    await expect(mint(ctx, { markdown_doc: hidden })).rejects.toMatchObject({
      code: 'PROTOCOL_INVALID',
      message: expect.stringContaining('U+202E'),
    });
    const marked = DOC.replace('# ', '# \u200f');
    await expect(mint(ctx, { markdown_doc: marked })).rejects.toMatchObject({
      code: 'PROTOCOL_INVALID',
      message: expect.stringContaining('U+200F'),
    });
    for (const [written, column] of [
      ['\u200b', 60],
      ['\\u200b', 60],
    ] as const) {
      const cmd = `# Clean up\n\n## Remove\n\nThe old ones.\n\n\`\`\`json\n{"proof_of_work": {"type": "shell", "shell": {"cmd": "rm -f${written} old"}}}\n\`\`\`\n`;
      await expect(mint(ctx, { markdown_doc: cmd })).rejects.toMatchObject({
        code: 'PROTOCOL_INVALID',
        data: { findings: [{ ruleId: 'hidden-character', severity: 'error', line: 8, column }] },
      });
    }
    const { warnings } = await mint(ctx, { markdown_doc: DOC.replace('# ', '# So\u00ad') });
    expect(warnings.map(({ ruleId }) => ruleId)).toContain('invisible-in-text');
    const slug = `---\nslug: Not A Slug\n---\n${DOC}`;
    await expect(mint(ctx, { markdown_doc: slug })).rejects.toMatchObject({ code: 'INVALID_SLUG' });
    await expect(begin(ctx, { key: 'Not A Slug' })).rejects.toMatchObject({ code: 'INVALID_SLUG' });
  });

  it('reports what lint finds, safety rules even where a comment in the text excuses them', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const doc = `# Call the server\n\n<!-- kairos-disable-file secret-in-text -- it is only a test -->\n\n## Call\n\nUse ${secret} for it.\n\nPROOF OF WORK: timeout 30s make call\n`;
    const { warnings } = await mint(ctx, { markdown_doc: doc });
    expect(warnings.map(({ ruleId, line }) => [ruleId, line])).toEqual(
      expect.arrayContaining([
        ['legacy-proof-line', 9],
        ['secret-in-text', 7],
      ]),
    );
    expect(JSON.stringify(warnings)).not.toContain(secret);
  });

  it.each([
    ['quotes in quotes', 'Text.', '> > > > > > a\n'.repeat(60_000)],
    ['patterns', 'Answer.', ''],
  ])('refuses a document that is too costly, and serves others meanwhile: %s', async (name, body, more) => {
    const pattern = (at: number) =>
      block('user_input', { prompt: 'Which?', pattern: `((a{1,30}){1,30}|b${at})` });
    const steps = Array.from({ length: 900 }, (_, at) => `## Ask ${at}\n\n${pattern(at)}`);
    const doc = `# Load it\n\n## Load\n\n${body}\n\n${more}\n${name === 'patterns' ? steps.join('\n') : ''}`;
    let turns = 0;
    let others: NodeJS.Immediate;
    const takeTurn = () => {
      turns += 1;
      others = setImmediate(takeTurn);
    };
    others = setImmediate(takeTurn);
    const refused = await mint(ctx, { markdown_doc: doc }).catch((error: unknown) => error);
    clearImmediate(others);
    expect(refused).toMatchObject({
      code: 'PROTOCOL_INVALID',
      data: { findings: [{ ruleId: 'document-too-large', line: 1 }] },
    });
    expect(turns).toBeGreaterThan(0);
    expect(await ctx.store.headBySlug('default', 'load-it')).toBeNull();
  });

  it('stores a command in commands far too deep to read, and reports it', async () => {
    const cmd = `${'$(echo '.repeat(2000)}x${')'.repeat(2000)}`;
    const { warnings } = await mint(ctx, {
      markdown_doc: `# Nest\n\n## Nest\n\nNest.\n\n${block('shell', { cmd, timeout_seconds: 5 })}`,
    });
    expect(warnings.map(({ ruleId }) => ruleId)).toContain('shell-syntax');
  });

  it('reports the value of a secret variable, by name and not by value', async () => {
    const value = 'kahvi kuppi 7';
    const { redact } = makeRedactor({ DB_PASSWORD: value });
    const doc = `# Load\n\n## Load\n\nLoad it with ${value}.\n\n\`\`\`sh proof timeout=5s\nload --key '${value}' [redacted:DB_PASSWORD]\n\`\`\`\n`;
    const { warnings } = await mint({ ...ctx, redact }, { markdown_doc: doc });
    expect(warnings.map(({ ruleId, line, column }) => [ruleId, line, column])).toEqual([
      ['secret-in-text', 5, 14],
      ['secret-in-text', 8, 13],
    ]);
    expect(warnings[0]?.reason).toContain('DB_PASSWORD');
    expect(JSON.stringify(warnings)).not.toContain(value);
    expect((await mint(ctx, { markdown_doc: doc })).warnings).toEqual([]);
  });

  it('uses the given version, if it is valid', async () => {
    await mint(ctx, { markdown_doc: DOC, protocol_version: '2.0.0' });
    expect((await ctx.store.head(ID))!.content.version).toBe('2.0.0');
    await expect(mint(ctx, { markdown_doc: DOC, protocol_version: 'two' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('never lets a document replace a protocol that is part of the tool', async () => {
    const doc = protocolOf(['none'], 'Create a protocol');
    await expect(mint(ctx, { markdown_doc: doc })).rejects.toMatchObject({
      code: expect.stringMatching(/DUPLICATE_CHAIN|READ_ONLY/),
    });
    await expect(mint(ctx, { markdown_doc: doc, force_update: true })).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
    const head = await ctx.store.head(RESERVED_CREATE_ID);
    expect(head?.content.title).toBe('Create a protocol');
  });

  it('stores nothing on a server that was started read-only', async () => {
    const closed = { ...ctx, readOnly: true };
    await expect(mint(closed, { markdown_doc: DOC })).rejects.toMatchObject({ code: 'READ_ONLY' });
  });

  it('names every violation of the input', async () => {
    await expect(
      mint(ctx, { markdown_doc: 5, force_update: 'yes', extra: 1 } as never),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/markdown_doc.*force_update/s),
    });
  });
});

it('a run keeps the revision that it began with', async () => {
  await mint(ctx, { markdown_doc: DOC });
  const begun = (await begin(ctx, { uri: stepUri(ID, 1) })) as RunFields;
  await mint(ctx, { markdown_doc: OTHER, force_update: true });
  const run = (await loadRun(ctx, begun.run_id!))!;
  expect(run.revision.content.steps).toHaveLength(2);
});

describe('dump', () => {
  it('gives a protocol that mints back to the same digest, and changes nothing', async () => {
    const { items } = await mint(ctx, { markdown_doc: OTHER });
    const { markdown_doc, ...rest } = await dump(ctx, { uri: items[2]!.uri, protocol: true });
    expect(rest).toEqual({
      uri: items[0]!.uri,
      label: 'Water the plants',
      chain_label: 'Water the plants',
      slug: 'water-the-plants',
    });
    const before = (await ctx.store.head(ID))!;
    await mint(ctx, { markdown_doc });
    expect(await ctx.store.revisions(ID)).toEqual([before]);
  });

  it('gives a step with its place and what it asks for', async () => {
    const { items } = await mint(ctx, { markdown_doc: OTHER });
    expect(await dump(ctx, { uri: items[1]!.uri })).toEqual({
      markdown_doc: expect.stringContaining('## Part 2 comment'),
      uri: items[1]!.uri,
      label: 'Part 2 comment',
      chain_label: 'Water the plants',
      position: { step_index: 2, step_count: 3 },
      challenge: {
        type: 'comment',
        comment: { min_length: 20 },
        required: true,
        description: expect.any(String),
      },
      slug: 'water-the-plants',
    });
  });
});
