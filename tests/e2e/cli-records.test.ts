import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localTime } from '../../src/base/duration.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

/** Runs as they are looked at afterwards: one sealed, one open. */
let home: CliHome;
let sealed: string;
let open: string;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'walk.md'), protocolOf(['none', 'shell'], 'Walk about'));
  const { items } = firstObject<{ items: { uri: string }[] }>(await kairosJson(home, ['mint', 'walk.md']));
  const uris = items.map(({ uri }) => uri) as [string, string];
  const begin = async () => (await kairosJson(home, ['begin', uris[0]])).objects[0]?.run_id as string;
  sealed = await begin();
  const [shown] = (await kairosJson(home, ['next', uris[1], '--run', sealed])).objects as unknown as [
    RunFields,
  ];
  const solution = { type: 'shell', shell: { exit_code: 0, stdout: 'swept\nclean\n' } };
  const { nonce, proof_hash } = shown.challenge!;
  await kairos(home, ['next', uris[1], '--solution', JSON.stringify({ ...solution, nonce, proof_hash })]);
  await kairos(home, ['attest', uris[0], 'success', 'Swept the yard, and it is clean now.', '--run', sealed]);
  open = await begin();
});
afterAll(() => home.remove());

describe('runs', () => {
  it.each(['report', 'verify', 'attestation'])(
    '%s of an unknown name leads to the list of runs',
    async (verb) => {
      expect(await kairos(home, [verb, 'nosuch'])).toMatchObject({
        stdout: '',
        stderr: expect.stringMatching(
          /^error: nosuch .*\nhint: Check the path.*List your runs with: kairos runs\n$/,
        ),
      });
    },
  );

  it('lists runs, newest first', async () => {
    const { code, stdout } = await kairos(home, ['runs']);
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows.map(([run, protocol, , state]) => [run, protocol, state])).toEqual([
      ['RUN', 'PROTOCOL', 'STATE'],
      [open.slice(0, 8), 'Walk about', 'open'],
      [sealed.slice(0, 8), 'Walk about', 'success'],
    ]);
    expect(await kairos(home, ['runs', 'list'])).toMatchObject({ code: 0, stdout });
  });

  it('lists only the open, the sealed, or the newest', async () => {
    const ids = async (...flags: string[]) => {
      const { runs } = firstObject<{ runs: { run_id: string }[] }>(
        await kairosJson(home, ['runs', ...flags]),
      );
      return runs.map(({ run_id }) => run_id);
    };
    expect(await ids('--open')).toEqual([open]);
    expect(await ids('--sealed')).toEqual([sealed]);
    expect(await ids('--limit', '1')).toEqual([open]);
    expect(await kairos(home, ['runs', '--open', '--sealed'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['runs', '--space', 'other'])).toMatchObject({ code: 0, stdout: 'No runs.\n' });
  });

  it('lists the runs of a day that is named as the last', async () => {
    const runs = firstObject<{ runs: { begun_at: string }[] }>(await kairosJson(home, ['runs']));
    const day = localTime(runs.runs[0]!.begun_at).slice(0, 10);
    expect(firstObject(await kairosJson(home, ['runs', '--since', day, '--until', day]))).toMatchObject({
      total: 2,
    });
    expect(firstObject(await kairosJson(home, ['runs', '--until', `${day}T00:00`]))).toMatchObject({
      total: 0,
    });
  });

  it('shows what happened, and never a claim as something seen', async () => {
    const { code, stdout } = await kairos(home, ['runs', 'show', sealed, '--entries']);
    expect(code).toBe(0);
    expect(stdout).toContain('Self-reported: every proof of this run is a claim.');
    expect(stdout).toContain(
      'step 2 "Part 2 shell" proven: the agent or user reports [claimed]\n        claimed exit code 0\n        claimed output:\n          swept',
    );
    expect(stdout).toContain('sealed with outcome success\n        Swept the yard, and it is clean now.');
    expect(stdout).not.toContain('kairos ran');
  });

  it('gives all of it to programs', async () => {
    const { code, objects } = await kairosJson(home, ['runs', 'show', sealed.toUpperCase()]);
    expect(code).toBe(0);
    expect(objects).toMatchObject([
      {
        run: { run_id: sealed, slug: 'walk-about', outcome: 'success' },
        assurance: { claimed: 2, client: 0, observed: 0, attested: 0 },
        self_reported: true,
        in_doubt: null,
        seal: { run_id: sealed, alg: 'ed25519' },
      },
    ]);
    const entries = objects[0]?.entries as { kind: string }[];
    expect(entries.at(-1)?.kind).toBe('run.sealed');
    expect((await kairosJson(home, ['runs', 'show', open])).objects).toMatchObject([
      { self_reported: false, seal: null },
    ]);
  });

  it('shows an exported file as it shows the run', async () => {
    await kairos(home, ['runs', 'export', sealed, '--out', 'shown.jsonl']);
    const [run, file] = [
      await kairos(home, ['runs', 'show', sealed]),
      await kairos(home, ['runs', 'show', 'shown.jsonl']),
    ];
    expect(file).toMatchObject({ code: 0, stdout: run.stdout });
    const { objects } = await kairosJson(home, ['runs', 'show', sealed]);
    expect((await kairosJson(home, ['runs', 'show', 'shown.jsonl'])).objects).toEqual([
      { ...objects[0], status: 'whole', findings: [expect.objectContaining({ code: 'seal-key-unchecked' })] },
    ]);
    const lines = readFileSync(join(home.work, 'shown.jsonl'), 'utf8').split('\n');
    writeFileSync(join(home.work, 'damaged.jsonl'), lines.toSpliced(1, 1).join('\n'));
    expect((await kairos(home, ['runs', 'show', 'damaged.jsonl'])).stdout).toContain('The record is damaged');
    expect((await kairosJson(home, ['runs', 'show', 'damaged.jsonl'])).objects).toMatchObject([
      {
        run: null,
        status: 'broken',
        findings: expect.arrayContaining([expect.objectContaining({ code: 'missing' })]),
      },
    ]);
  });

  it('shows its times in one form, with the offset', async () => {
    for (const args of [[], ['--entries'], ['--full']]) {
      const { stdout } = await kairos(home, ['runs', 'show', sealed, ...args]);
      expect(stdout).not.toMatch(/\d{4}-\d\d-\d\dT/);
      const times = stdout.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d/g) ?? [];
      expect(times.length).toBeGreaterThanOrEqual(args.length === 0 ? 2 : 8);
    }
  });

  it('reads, draws and compares an exported file where the protocol is not in the store', async () => {
    await kairos(home, ['runs', 'export', sealed, '--out', 'a.jsonl']);
    await kairos(home, ['runs', 'export', open, '--out', 'b.jsonl']);
    const [a, b] = [join(home.work, 'a.jsonl'), join(home.work, 'b.jsonl')];
    const elsewhere = makeHome();
    const here = await kairos(home, ['runs', 'show', sealed]);
    expect(here.stdout).toContain('Part 2');
    expect((await kairos(elsewhere, ['runs', 'show', a])).stdout).toBe(here.stdout);
    expect((await kairos(elsewhere, ['report', a, '--format', 'md'])).stdout).toContain('Part 2');
    for (const format of ['mermaid', 'svg'])
      expect(await kairos(elsewhere, ['graph', a, '--format', format])).toMatchObject({
        code: 0,
        stdout: (await kairos(home, ['graph', sealed, '--format', format])).stdout,
      });
    expect(await kairosJson(elsewhere, ['runs', 'diff', a, b])).toMatchObject({
      code: 0,
      objects: (await kairosJson(home, ['runs', 'diff', sealed, open])).objects,
    });
    const lines = readFileSync(a, 'utf8').split('\n');
    const damaged = join(home.work, 'c.jsonl');
    writeFileSync(damaged, lines.toSpliced(1, 1).join('\n'));
    for (const args of [
      ['graph', damaged],
      ['runs', 'diff', a, damaged],
    ])
      expect(await kairos(elsewhere, args)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('this record is damaged'),
      });
    elsewhere.remove();
  });

  it('prints a report for programs as an object a line, with keys as everywhere', async () => {
    const { stdout, objects } = await kairosJson(home, ['report', sealed, open]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(objects).toMatchObject([
      { run_id: sealed, self_reported: true, steps: [{ working_ms: expect.any(Number) }, { doubt: null }] },
      { run_id: open, sealed_at: null },
    ]);
    const stats = await kairosJson(home, ['runs', 'stats']);
    for (const printed of [stdout, stats.stdout]) expect(printed).not.toMatch(/"[a-z]+[A-Z][A-Za-z]*":/);
    expect(stats.objects).toMatchObject([{ protocols: [{ steps: [{ stopped_here: 1 }, {}] }], damaged: 0 }]);
  });

  it('knows no run of another space, and no other run', async () => {
    for (const args of [
      ['show', sealed, '--space', 'other'],
      ['show', 'nonsense'],
      ['export', open.replace(/^./, 'x')],
    ]) {
      const run = await kairosJson(home, ['runs', ...args]);
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'RUN_NOT_FOUND' } });
    }
  });
});

describe('runs export', () => {
  it('writes lines that verify anywhere, the seal last', async () => {
    const { code, stdout, stderr } = await kairos(home, ['runs', 'export', sealed]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Object.keys(JSON.parse(stdout.trimEnd().split('\n').at(-1) as string))).toEqual(['seal']);
    expect(await kairos(home, ['runs', 'export', sealed, '--out', 'run.jsonl'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'run.jsonl'), 'utf8')).toBe(stdout);
    const elsewhere = makeHome();
    try {
      expect(await kairosJson(elsewhere, ['verify', '-'], { stdin: stdout })).toMatchObject({
        code: 0,
        objects: [{ status: 'whole', own_key: false, findings: [{ code: 'seal-key-unchecked' }] }],
      });
      expect(readdirSync(elsewhere.data)).toEqual([]);
    } finally {
      elsewhere.remove();
    }
  });

  it('never overwrites a file unless asked to', async () => {
    writeFileSync(join(home.work, 'kept.jsonl'), 'mine');
    const refused = await kairos(home, ['runs', 'export', sealed, '--out', 'kept.jsonl']);
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('kept.jsonl exists already'),
    });
    expect(readFileSync(join(home.work, 'kept.jsonl'), 'utf8')).toBe('mine');
    const forced = await kairosJson(home, ['runs', 'export', sealed, '--out', 'kept.jsonl', '--force']);
    expect(forced).toMatchObject({
      code: 0,
      objects: [{ run_id: sealed, file: 'kept.jsonl', sealed: true }],
    });
  });

  it.each([
    ['runs', 'export'],
    ['report', '--format', 'md'],
    ['attestation', '--format', 'statement'],
    ['graph', '--format', 'svg'],
  ])('prints with --out -: %s %s', async (...words) => {
    const [verb, ...rest] = words[0] === 'runs' ? [words.join(' ')] : words;
    const call = [...verb!.split(' '), sealed, ...rest];
    const { stdout } = await kairos(home, call);
    expect(stdout).not.toBe('');
    expect(await kairos(home, [...call, '--out', '-'])).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(readdirSync(home.work)).not.toContain('-');
  });

  it('writes a graph to a file, and replaces it only with --force', async () => {
    const { stdout } = await kairos(home, ['graph', sealed]);
    const call = ['graph', sealed, '--out', 'graph.mmd'];
    expect(await kairos(home, call)).toMatchObject({
      code: 0,
      stdout: 'Graph written to graph.mmd\n',
      stderr: '',
    });
    expect(readFileSync(join(home.work, 'graph.mmd'), 'utf8')).toBe(stdout);
    expect(await kairos(home, call)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists already'),
    });
    expect(await kairosJson(home, [...call, '--force'])).toMatchObject({
      code: 0,
      objects: [{ file: 'graph.mmd', graphs: 1 }],
    });
  });

  it.each(['runs export', 'graph'])('%s names the run that latest is', async (verb) => {
    const { stderr } = await kairos(home, [...verb.split(' '), 'latest']);
    expect(stderr).toContain(`latest is run ${open.slice(0, 8)}: Walk about\n`);
    expect((await kairos(home, [...verb.split(' '), sealed])).stderr).toBe('');
  });

  it.each([
    ['rollback', '1'],
    ['proposal list'],
    ['proposal show'],
    ['proposal new'],
    ['proposal validate', 'none.json'],
    ['proposal submit'],
    ['proposal approve', '--key', 'none'],
    ['proposal request'],
    ['policy explain'],
    ['answer'],
  ])('%s names the run that latest is, also if it fails', async (verb, ...more) => {
    const { stderr } = await kairos(home, [...verb.split(' '), 'latest', ...more]);
    expect(stderr).toContain(`latest is run ${open.slice(0, 8)}: Walk about\n`);
  });

  it('refuses - as a folder', async () => {
    writeFileSync(join(home.work, 'list.md'), '# Tidy up\n\n1. Sweep the floor.\n2. Empty the bin.\n');
    for (const call of [
      ['import', 'list.md'],
      ['export', '--sop', 'any'],
    ]) {
      const refused = await kairos(home, [...call, '--out', '-']);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a folder') });
    }
  });

  it('reports that an open run is not sealed', async () => {
    const { code, stderr } = await kairos(home, ['runs', 'export', open]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'This run is not sealed: the record may still grow.\n',
    });
  });
});

describe('runs diff', () => {
  it('compares the runs and the duration of each step', async () => {
    const { code, objects } = await kairosJson(home, ['runs', 'diff', sealed, open]);
    expect(code).toBe(0);
    expect(objects[0]).toMatchObject({
      differences: expect.arrayContaining([{ where: 'run', what: 'outcome', a: 'success', b: 'open' }]),
      steps: [
        { step: 1, a_ms: expect.any(Number), b_ms: expect.any(Number) },
        { step: 2, a_ms: expect.any(Number), b_ms: expect.any(Number) },
      ],
    });
    const { stdout } = await kairos(home, ['runs', 'diff', sealed, sealed]);
    expect(stdout).toContain('do not differ');
    expect(stdout).toMatch(/^step 2 +(\d.*?) +\1$/m);
  });
});

it('runs diff writes whole texts where no terminal cuts them', async () => {
  writeFileSync(
    join(home.work, 'why.md'),
    '---\ninputs:\n  WHY: { description: The reason }\n---\n# State why\n\n## Look\n\nSee {{WHY}}.\n',
  );
  await kairos(home, ['mint', 'why.md']);
  const texts = ['a', 'b'].map((end) => `${'because of the rain '.repeat(8)}${end}`);
  const ids: string[] = [];
  for (const text of texts) {
    const begun = firstObject(
      await kairosJson(home, ['begin', 'state-why', '--input', `WHY=${text}`]),
    ) as RunFields;
    ids.push(String(begun?.run_id));
  }
  const { stdout } = await kairos(home, ['runs', 'diff', ...ids]);
  for (const text of texts) expect(stdout).toContain(text);
});

describe('verify', () => {
  it('ends with 0 only if all are intact', async () => {
    const whole = await kairosJson(home, ['verify', sealed, 'run.jsonl']);
    expect(whole.code).toBe(0);
    expect(whole.objects).toMatchObject([
      { record: sealed, status: 'whole', run_id: sealed, own_key: true, findings: [] },
      { record: 'run.jsonl', status: 'whole', run_id: sealed },
    ]);
    const mixed = await kairosJson(home, ['verify', sealed, open]);
    expect(mixed.code).toBe(1);
    expect(mixed.objects).toMatchObject([{ status: 'whole' }, { record: open, status: 'unsealed' }]);
    const missing = await kairos(home, ['verify', 'none.jsonl', sealed]);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: none\.jsonl does not exist/),
    });
    expect(missing.stdout).toMatch(/^intact {2}/);
  });

  it('names every change by its entry', async () => {
    const lines = readFileSync(join(home.work, 'run.jsonl'), 'utf8').trimEnd().split('\n');
    lines[3] = (lines[3] as string).replace('"v":1', '"v":2');
    lines.splice(1, 1);
    writeFileSync(join(home.work, 'bad.jsonl'), `${lines.join('\n')}\n`);
    const { code, stdout } = await kairos(home, ['verify', 'bad.jsonl']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^broken {2}bad\.jsonl/);
    expect(stdout).toMatch(/error {2}entry 1: /);
    expect(stdout).toMatch(/error {2}entry 3, line 3: /);
  });

  it('reports a report page as one finding', async () => {
    await kairos(home, ['report', sealed, '--out', 'page.html']);
    const { code, stdout } = await kairos(home, ['verify', 'page.html']);
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain('This is not the record of a run');
  });

  it('finds bytes that are not text', async () => {
    const text = readFileSync(join(home.work, 'run.jsonl'));
    writeFileSync(
      join(home.work, 'bytes.jsonl'),
      Buffer.concat([text.subarray(0, 20), Buffer.from([0xff, 0]), text.subarray(20)]),
    );
    const { code, stdout } = await kairos(home, ['verify', 'bytes.jsonl']);
    expect({ code, status: stdout.split(' ')[0] }).toEqual({ code: 1, status: 'broken' });
  });

  it("accepts only the named keys as the sealer's", async () => {
    const [whole] = (await kairosJson(home, ['verify', sealed])).objects;
    expect(await kairos(home, ['verify', 'run.jsonl', '--key', String(whole?.sealed_by)])).toMatchObject({
      code: 0,
    });
    expect(await kairos(home, ['verify', 'run.jsonl', '--key', '0'.repeat(64)])).toMatchObject({ code: 1 });
  });
});
