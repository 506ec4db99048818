import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

/** The commands that keep protocols, one after the other on one store, for people and for programs. */
let home: CliHome;
let uris: string[];
beforeAll(() => {
  home = makeHome();
  write('kettle.md', KETTLE);
  write('lamp.md', protocolOf(['none', 'comment'], 'Change the lamp'));
  write('broken.md', '# Broken\n\n## Step\n\n```json\n{"proof_of_work": {"type": "shell"}\n```\n');
});
afterAll(() => home.remove());

const write = (name: string, text: string) => writeFileSync(join(home.work, name), text);
const KETTLE = `---
slug: boil-water
version: 1.2.0
tags: [kitchen, tea]
---
${protocolOf(['none', 'shell', 'user_input'], 'Boil water').replace('May the walk go on?', 'Does the water boil?').replace('For the tests.', 'Water, but **hot**.\n\n## Natural Language Triggers\n\n- make tea')}`;

describe('mint', () => {
  it('stores every file, and reports the result of each', async () => {
    const minted = await kairos(home, ['mint', 'kettle.md', 'lamp.md']);
    expect(minted).toMatchObject({ code: 0, stderr: '' });
    const lines = minted.stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/kairos:\/\/mem\/\S+/, 'URI'))).toEqual([
      'stored  kettle.md  URI',
      'stored  lamp.md  URI',
      '2 of 2 files stored',
    ]);
  });

  it('gives the object of the tool, and changes nothing when nothing is new', async () => {
    const { code, stderr, objects } = await kairosJson(home, ['mint', 'kettle.md']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(objects).toMatchObject([{ status: 'stored', warnings: [] }]);
    const items = objects[0]?.items as { uri: string; memory_uuid: string; label: string; tags: string[] }[];
    expect(items.map(({ label, tags }) => [label, tags])).toEqual([
      ['Part 1 none', ['kitchen', 'tea']],
      ['Part 2 shell', ['kitchen', 'tea']],
      ['Part 3 user_input', ['kitchen', 'tea']],
    ]);
    expect(items.every(({ uri, memory_uuid }) => uri === `kairos://mem/${memory_uuid}`)).toBe(true);
    uris = items.map(({ uri }) => uri);
    expect((await kairosJson(home, ['list'])).objects[0]?.chains).toMatchObject([
      { revision: 1 },
      { revision: 1 },
    ]);
  });

  it('rejects other content under a known slug, unless asked to replace it', async () => {
    const changed = `${KETTLE}\n## One step more\n\nDrink it.\n`;
    const refused = await kairos(home, ['mint', '-'], { stdin: changed });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `error: a chain with the slug boil-water exists with other content: ${uris[0]}`,
    );
    expect(await kairos(home, ['mint', '-', '--force', '--model', 'm-1'], { stdin: changed })).toMatchObject({
      code: 0,
    });
    expect(await kairos(home, ['mint', 'kettle.md', '--force'])).toMatchObject({ code: 0 });
  });

  it('names each file that cannot be stored, and stores the others', async () => {
    const run = await kairos(home, ['mint', 'none.md', 'broken.md', 'lamp.md']);
    expect(run.code).toBe(2);
    expect(run.stdout).toContain('stored  lamp.md');
    expect(run.stderr).toContain('error: none.md does not exist\n');
    expect(run.stderr).toMatch(/error: broken\.md has an error:\n {2}\d+:\d+ {2}.*\(block-unreadable\)\n/);
    const json = await kairosJson(home, ['mint', 'none.md', 'broken.md', 'lamp.md']);
    expect(json.objects).toHaveLength(1);
    const errors = json.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).error.code);
    expect(errors).toEqual(['FILE_UNREADABLE', 'PROTOCOL_INVALID']);
  });

  it('stores the protocols of a folder, and skips its prose', async () => {
    mkdirSync(join(home.work, 'more/deep'), { recursive: true });
    write('more/stove.md', protocolOf(['comment'], 'Light the stove'));
    write('more/deep/oven.md', protocolOf(['comment'], 'Heat the oven'));
    write('more/notes.md', '# Notes\n\nOn stoves.\n');
    write('more/bad.md', '# Bad\n\n## Step\n\n```json\n{"proof_of_work": {"type": "shell"}\n```\n');
    const run = await kairos(home, ['mint', 'more', 'lamp.md', '--space', 'kitchen']);
    expect(run.code).toBe(1);
    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe('3 of 4 files stored, 1 file of prose skipped');
    expect(run.stderr).toContain('error: more/bad.md has an error:');
    const { objects } = await kairosJson(home, ['list', '--space', 'kitchen']);
    expect((objects[0]!.chains as { slug: string }[]).map(({ slug }) => slug).sort()).toEqual([
      'change-the-lamp',
      'heat-the-oven',
      'light-the-stove',
    ]);
    expect(await kairos(home, ['mint', 'home-of-nothing/'])).toMatchObject({ code: 2 });
  });

  it('names a stored protocol by slug or digest wherever one is named', async () => {
    const space = ['--space', 'kitchen'];
    const [{ chains }] = (await kairosJson(home, ['list', ...space])).objects as [
      { chains: { slug: string; digest: string }[] },
    ];
    const { digest } = chains.find(({ slug }) => slug === 'heat-the-oven')!;
    expect(await kairos(home, ['update', digest, '--tags', 'hot', ...space])).toMatchObject({ code: 0 });
    const tagged = (await kairosJson(home, ['show', 'heat-the-oven', ...space])).objects[0]?.chains;
    expect(tagged).toMatchObject([{ tags: ['hot'] }]);
    expect(await kairos(home, ['begin', 'heat-the-oven', ...space])).toMatchObject({ code: 0 });
    const closed = await kairosJson(home, [
      'attest',
      'heat-the-oven',
      'failure',
      'The oven stayed cold.',
      ...['--run', 'latest', ...space],
    ]);
    expect(closed.objects).toMatchObject([{ total_rated: 1, total_failed: 0 }]);
    expect(await kairos(home, ['delete', 'heat-the-oven', 'light-the-stove', ...space])).toMatchObject({
      code: 0,
    });
    const gone = await kairos(home, ['delete', 'heat-the-oven', ...space]);
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no protocol has the slug "heat-the-oven"'),
    });
    expect((await kairos(home, ['delete', 'a file.md', ...space])).stderr).toContain(
      'a file.md does not exist',
    );
  });

  it('sets the version', async () => {
    const run = await kairos(home, ['mint', 'lamp.md', '--force', '--protocol-version', '2.0.0']);
    expect(run.code).toBe(0);
    const { objects } = await kairosJson(home, ['show', 'change-the-lamp']);
    expect(objects).toMatchObject([{ chains: [{ slug: 'change-the-lamp', version: '2.0.0', revision: 2 }] }]);
  });
});

describe('list', () => {
  it('lists the protocols of the space', async () => {
    const { code, stdout } = await kairos(home, ['list']);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['SLUG', 'TITLE', 'STEPS', 'VERSION'],
      ['boil-water', 'Boil water', '3', '1.2.0'],
      ['change-the-lamp', 'Change the lamp', '2', '2.0.0'],
      [''],
    ]);
    expect((await kairosJson(home, ['list'])).objects).toMatchObject([
      {
        chains: [
          {
            slug: 'boil-water',
            uri: uris[0],
            title: 'Boil water',
            version: '1.2.0',
            tags: ['kitchen', 'tea'],
            step_count: 3,
            space: 'default',
          },
          { slug: 'change-the-lamp' },
        ],
      },
    ]);
  });

  it('reports an empty list, in any space', async () => {
    expect(await kairos(home, ['list', '--space', 'other'])).toEqual({
      code: 0,
      signal: null,
      stdout: 'No protocols yet. Store one with: kairos mint FILE --space other\n',
      stderr: '',
    });
    const { objects } = await kairosJson(home, ['list'], { env: { KAIROS_SPACE: 'other' } });
    expect(objects).toEqual([{ chains: [] }]);
  });
});

describe('search', () => {
  it('finds by trigger and gives the command to type', async () => {
    const { code, stdout } = await kairos(home, ['search', 'make', 'tea']);
    expect(code).toBe(0);
    expect(stdout).toContain('One protocol matches.');
    expect(stdout).toContain('  kairos run boil-water\n');
    expect(stdout).not.toContain('nearest trigger');
    const { objects } = await kairosJson(home, ['search', 'make tea', '--limit', '1']);
    expect(objects).toMatchObject([
      {
        must_obey: true,
        protocol_status: 'match',
        start_here: uris[0],
        choices: [{ uri: uris[0], role: 'match' }],
      },
    ]);
  });

  it('explains a match by its words, the nearest trigger and its meaning', async () => {
    const { stdout } = await kairos(home, ['search', '--explain', 'please make some tea for us']);
    expect(stdout).toContain('words: tea\n');
    expect(stdout).toContain('nearest trigger: "make tea"\n');
    expect(stdout).toMatch(/meaning: [01]\.\d\d near "/);
    const { objects } = await kairosJson(home, ['search', '--explain', 'make tea']);
    expect(objects).toMatchObject([
      {
        start_here: uris[0],
        reasons: [
          { uri: uris[0], match: 'exact', words: ['tea'], phrase: { kind: 'trigger', text: 'make tea' } },
        ],
      },
    ]);
  });

  it('offers to refine or create when nothing matches, and ends with 0', async () => {
    const { code, objects } = await kairosJson(home, ['search', 'xyzzy plugh']);
    expect(code).toBe(0);
    expect(objects).toMatchObject([
      {
        protocol_status: 'no_protocol',
        choices: [
          { role: 'refine', score: null },
          { role: 'create', score: null },
        ],
      },
    ]);
    expect((await kairos(home, ['search', 'xyzzy'])).stdout).toContain('No protocol matches.');
  });
});

describe('show', () => {
  it('lays a protocol out with what each step asks for', async () => {
    const { code, stdout } = await kairos(home, ['show', 'boil-water']);
    expect(code).toBe(0);
    for (const part of [
      'Boil water',
      uris[0],
      'Water, but **hot**.',
      'make tea',
      '2/3  Part 2 shell',
      'make check',
      'Does the water boil?',
      'trusted here',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('shows the same of a file, and of any step', async () => {
    const [stored] = (await kairosJson(home, ['show', uris[2] as string])).objects;
    const [file] = (await kairosJson(home, ['show', './kettle.md'])).objects;
    const chain = (object: unknown) => (object as { chains: Record<string, unknown>[] }).chains[0];
    expect(chain(stored)).toMatchObject({
      uri: uris[0],
      slug: 'boil-water',
      trusted: false,
      steps: [
        { uri: uris[0], label: 'Part 1 none', body: 'Do part 1.', challenge: null },
        {
          uri: uris[1],
          challenge: { type: 'shell', shell: { cmd: 'make check', timeout_seconds: 30 }, required: true },
        },
        { uri: uris[2], challenge: { type: 'user_input' } },
      ],
    });
    const beside = { space: 'default', revision: null, author: null, created_at: null, weakened: null };
    expect(chain(file)).toEqual({ ...chain(stored), ...beside });
  });

  it('needs no store for a file', async () => {
    const env = { KAIROS_STORE: join(home.work, 'none', 'a-file.md', 'x.db') };
    write('a-file.md', KETTLE);
    expect(
      await kairos(home, ['show', './a-file.md'], { env: { ...env, KAIROS_STORE: home.work } }),
    ).toMatchObject({ code: 0 });
    expect(await kairos(home, ['show', 'boil-water'], { env: { KAIROS_STORE: home.work } })).toMatchObject({
      code: 1,
    });
  });
});

describe('dump', () => {
  it('gives markdown that mints to the same content', async () => {
    const { code, stdout } = await kairos(home, ['dump', uris[1] as string, '--protocol']);
    expect(code).toBe(0);
    expect(await kairos(home, ['dump', 'boil-water'])).toMatchObject({ code: 0, stdout });
    const [before] = (await kairosJson(home, ['show', 'boil-water'])).objects;
    expect(await kairos(home, ['mint', '-'], { stdin: stdout })).toMatchObject({ code: 0 });
    expect((await kairosJson(home, ['show', 'boil-water'])).objects).toEqual([before]);
  });

  it('gives a single step', async () => {
    const { stdout } = await kairos(home, ['dump', uris[1] as string]);
    expect(stdout).toMatch(/^## Part 2 shell\n/);
    const { objects } = await kairosJson(home, ['dump', uris[1] as string]);
    expect(objects).toMatchObject([
      { uri: uris[1], label: 'Part 2 shell', slug: 'boil-water', position: { step_index: 2, step_count: 3 } },
    ]);
  });
});

describe('update', () => {
  it('changes steps from files, from flags, and the whole', async () => {
    write('step.md', 'Do it better.\n');
    const updated = await kairos(home, ['update', uris[0] as string, '--file', 'step.md']);
    expect(updated).toMatchObject({ code: 0, stderr: '' });
    expect(updated.stdout).toMatch(new RegExp(`^updated {2}${uris[0]}\n`));
    const { objects } = await kairosJson(home, [
      'update',
      uris[0] as string,
      '--label',
      'First of all',
      '--tags',
      'a, b,',
    ]);
    expect(objects).toMatchObject([
      { results: [{ uri: uris[0], status: 'updated' }], total_updated: 1, total_failed: 0 },
    ]);
    const [shown] = (await kairosJson(home, ['show', 'boil-water'])).objects;
    expect(shown).toMatchObject({
      chains: [
        { tags: ['a', 'b'], steps: [{ label: 'First of all', body: 'Do it better.', uri: uris[0] }, {}, {}] },
      ],
    });
    const whole = await kairos(home, ['update', uris[0] as string, '--file', 'kettle.md']);
    expect(whole.code).toBe(0);
  });

  it('reports what failed, and ends with 1', async () => {
    const gone = 'kairos://mem/00000000-1111-5222-8333-444444444444';
    const run = await kairosJson(home, ['update', gone, uris[0] as string, '--text', 'Do part 1.']);
    expect(run.code).toBe(1);
    expect(run.objects).toMatchObject([
      { results: [{ uri: gone, status: 'error' }, { status: 'updated' }], total_failed: 1 },
    ]);
  });

  it.each([[[]], [['--file', 'step.md', '--label', 'x']], [['--file', '-', '-']]])(
    'needs one kind of change: %j',
    async (flags) => {
      expect(await kairos(home, ['update', uris[0] as string, ...flags])).toMatchObject({
        code: 2,
        stdout: '',
      });
    },
  );

  it('reads every file before it changes anything', async () => {
    const before = readFileSync(join(home.work, 'kettle.md'), 'utf8');
    const run = await kairos(home, [
      'update',
      uris[0] as string,
      uris[1] as string,
      '--file',
      'step.md',
      'none.md',
    ]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(await kairos(home, ['mint', '-'], { stdin: before })).toMatchObject({ code: 0 });
  });
});

describe('delete', () => {
  it('removes a protocol from the list', async () => {
    const [lamp] = ((await kairosJson(home, ['show', 'change-the-lamp'])).objects[0]?.chains ?? []) as {
      uri: string;
    }[];
    const gone = await kairos(home, ['delete', lamp?.uri as string]);
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringMatching(/^deleted {2}kairos:/) });
    const again = await kairosJson(home, ['delete', lamp?.uri as string, uris[1] as string]);
    expect(again.code).toBe(1);
    expect(again.objects).toMatchObject([{ total_deleted: 0, total_failed: 2 }]);
    expect((await kairosJson(home, ['list'])).objects).toMatchObject([{ chains: [{ slug: 'boil-water' }] }]);
  });

  it('leaves what is part of kairos', async () => {
    const run = await kairosJson(home, ['delete', 'kairos://mem/00000000-0000-0000-0000-000000002001']);
    expect(run).toMatchObject({
      code: 1,
      objects: [{ results: [{ message: expect.stringContaining('READ_ONLY') }] }],
    });
    const shown = await kairos(home, ['show', 'kairos://mem/00000000-0000-0000-0000-000000002001']);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/trusted here {2}yes/) });
  });
});
