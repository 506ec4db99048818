import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverDigest } from '../../src/host/mcp-client/resolve-server.ts';
import { RESERVED_CREATE_ID, RESERVED_REFINE_ID, stepUri } from '../../src/protocol/identity.ts';
import { chainOf, loadShipped, PROTOCOLS, type Shipped } from '../protocols/shipped.ts';
import { FAKES_PATH, loadWalks, MCP_SERVER, prepareDirectory } from '../protocols/walk-data.ts';
import { type CliHome, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { ASKED, answer, openKairos, resumeArguments } from '../support/kairos-terminal.ts';
import { closeTerminals } from '../support/pty.ts';

/** Every protocol that ships, walked by `kairos run` with fakes for what it would touch. */
const shipped = await loadShipped();
const walks = loadWalks();
const RESERVED: Record<string, string> = {
  'create-a-protocol': stepUri(RESERVED_CREATE_ID, 1),
  'refine-a-search': stepUri(RESERVED_REFINE_ID, 1),
};

let home: CliHome;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());
afterEach(closeTerminals);

interface Scene {
  directory: string;
  env: Record<string, string>;
  target: string;
  /** `--trust`, for the content and for its server. */
  trust: string[];
  /** `--input` for each input: nothing else says what the protocol is run on. */
  inputs: string[];
  answers: Record<string, string>;
}

/** The place where a protocol can be walked, and an answer for everything that `kairos run` says it will ask. */
async function prepare(protocol: Shipped): Promise<Scene> {
  const { name, path } = protocol;
  const walk = walks[name]!;
  const directory = await prepareDirectory(walk);
  // None of the variables that a step may pass: what a protocol needs to know is an input.
  const env = { PATH: FAKES_PATH };
  const target = RESERVED[name] ?? join(PROTOCOLS, path);
  const servers = chainOf(protocol).steps.flatMap(({ block }) => {
    const proof = block?.value.proof_of_work;
    return proof?.type === 'mcp' && proof.mcp.server !== undefined ? [proof.mcp.server] : [];
  });
  const definition = { command: process.execPath, args: [MCP_SERVER, name], env: {}, cwd: null };
  writeFileSync(
    join(directory, '.mcp.json'),
    JSON.stringify({
      mcpServers: Object.fromEntries(servers.map((server) => [server, { ...definition, cwd: undefined }])),
    }),
  );

  const inputs = Object.entries(walk.inputs).flatMap(([input, value]) => ['--input', `${input}=${value}`]);
  const asked = await kairosJson(home, ['run', target, '--no-input', '--yes', ...inputs], {
    env,
    cwd: directory,
  });
  expect(asked.code).toBe(3);
  const { questions } = asked.objects[0] as { questions: { id: string; message: string; phrase?: string }[] };
  const trust = servers.length > 0 ? ['--trust', serverDigest(definition)] : [];
  const answers: Record<string, string> = {};
  for (const { id, message, phrase } of questions) {
    const step = walk.steps[id.split('.')[0]!];
    if (id === 'trust') trust.push('--trust', /--trust ([0-9a-f]{64})/.exec(message)![1]!);
    else
      answers[id] =
        id === 'closing'
          ? walk.closing
          : (phrase ?? step?.user_input ?? step?.comment ?? JSON.stringify(step?.sampling))!;
  }
  return { directory, env, target, trust, inputs, answers };
}

async function runWith(scene: Scene, args: string[]) {
  const file = join(scene.directory, 'answers.json');
  writeFileSync(file, JSON.stringify({ answers: scene.answers }));
  return kairosJson(home, [...args, ...scene.trust, '--answers', file], {
    env: scene.env,
    cwd: scene.directory,
    timeoutMs: 60_000,
  });
}

async function expectVerified(runId: unknown): Promise<void> {
  expect(await kairos(home, ['verify', String(runId)])).toMatchObject({ code: 0 });
}

describe('with answers from a file', () => {
  // The one needs a person for its yes, the other several of them and a policy (gate-approvals.test.ts).
  const byFile = shipped.filter(
    ({ name }) => name !== 'rotate-leaked-credential' && name !== 'retire-service',
  );

  it.each(byFile)('$name is sealed, and its record verifies', async (protocol) => {
    const scene = await prepare(protocol);
    try {
      const run = await runWith(scene, ['run', scene.target, ...scene.inputs]);
      expect(run.objects.at(-1)).toMatchObject({ event: 'sealed', outcome: 'success', verified: 'whole' });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      const steps = run.objects.filter(({ event }) => event === 'step').map(({ index }) => index);
      expect(steps).toEqual(chainOf(protocol).steps.map(({ index }) => index));
      await expectVerified(run.objects.at(-1)?.run_id);
    } finally {
      rmSync(scene.directory, { recursive: true, force: true });
    }
  });

  it('the answers that ship with a protocol lead it to its end', async () => {
    const path = join(PROTOCOLS, 'verify-fresh-install');
    const trust = (await prepare(shipped.find(({ name }) => name === 'verify-fresh-install')!)).trust;
    const run = await kairosJson(home, ['run', `${path}.md`, '--answers', `${path}.answers.yaml`, ...trust], {
      env: { PATH: FAKES_PATH },
    });
    expect(run).toMatchObject({ code: 0 });
    await expectVerified(run.objects.at(-1)?.run_id);
  });
});

describe('with the real programs of this machine', () => {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

  /** A clone of a repository next to it, with an older release and the changelog of the next one. */
  function repository(): string {
    const folder = mkdtempSync(join(tmpdir(), 'kairos-release-'));
    const clone = join(folder, 'clone');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, stdio: 'pipe' });
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(folder, 'origin.git')]);
    execFileSync('git', ['clone', '--quiet', join(folder, 'origin.git'), clone], { stdio: 'pipe' });
    for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.org' }))
      git('config', key, value);
    git('checkout', '--quiet', '-b', 'main');
    for (const version of ['1.3.0', '1.4.0']) {
      writeFileSync(
        join(clone, 'CHANGELOG.md'),
        `# Changes\n\n## ${version}\n\n- Counts grapheme clusters.\n`,
      );
      git('add', 'CHANGELOG.md');
      git('commit', '--quiet', '--message', `Write down ${version}`);
      if (version === '1.3.0') git('tag', '--annotate', 'v1.3.0', '--message', 'v1.3.0');
    }
    git('push', '--quiet', 'origin', 'main', '--tags');
    return clone;
  }

  async function runHere(name: string, directory: string, inputs: string[], answers: object) {
    const file = join(directory, '..', 'answers.json');
    writeFileSync(file, JSON.stringify({ answers }));
    const args = ['run', join(PROTOCOLS, `${name}.md`), ...inputs, '--answers', file];
    const options = { env: { PATH }, cwd: directory, timeoutMs: 60_000 };
    const asked = await kairosJson(home, args, options);
    const trust = /--trust ([0-9a-f]{64})/.exec(asked.stdout + asked.stderr)![1]!;
    return kairosJson(home, [...args, '--trust', trust], options);
  }

  it('cut-release tags and pushes a release', async () => {
    const directory = repository();
    try {
      const { closing } = walks['cut-release']!;
      const inputs = ['--input', 'VERSION=1.4.0', '--input', 'TEST_COMMAND=grep -q 1.4.0 CHANGELOG.md'];
      const run = await runHere('cut-release', directory, inputs, { '6.answer': 'release it', closing });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.objects.at(-1)).toMatchObject({ event: 'sealed', outcome: 'success' });
      const tags = execFileSync('git', ['tag'], { cwd: join(directory, '../origin.git'), encoding: 'utf8' });
      expect(tags).toBe('v1.3.0\nv1.4.0\n');
      await expectVerified(run.objects.at(-1)?.run_id);
    } finally {
      rmSync(join(directory, '..'), { recursive: true, force: true });
    }
  });

  it('verify-fresh-install needs no input at all', async () => {
    const path = join(PROTOCOLS, 'verify-fresh-install');
    const options = { env: { PATH } };
    const args = ['run', `${path}.md`, '--answers', `${path}.answers.yaml`];
    const asked = await kairosJson(home, args, options);
    const trust = /--trust ([0-9a-f]{64})/.exec(asked.stdout + asked.stderr)![1]!;
    const run = await kairosJson(home, [...args, '--trust', trust], options);
    expect(run).toMatchObject({ code: 0 });
    await expectVerified(run.objects.at(-1)?.run_id);
  });
});

describe('rotate-leaked-credential', () => {
  it.runIf(SPAWNS)(
    "accepts a file's word only up to its confirmation, and a person's to its end",
    async () => {
      const protocol = shipped.find(({ name }) => name === 'rotate-leaked-credential')!;
      const scene = await prepare(protocol);
      try {
        const claimed = await runWith(scene, ['run', scene.target, ...scene.inputs]);
        expect(claimed.code).toBe(1);
        expect(claimed.objects.filter(({ event }) => event === 'answer').at(-1)).toMatchObject({
          error_code: 'ASSURANCE_TOO_LOW',
          challenge: { assurance: 'client' },
        });
        const { resume, run_id } = claimed.objects.at(-1) as { resume: string; run_id: string };
        const terminal = openKairos(home, [...resumeArguments(`Resume with: ${resume}`), ...scene.trust], {
          env: scene.env,
          cwd: scene.directory,
          cols: 200,
        });
        await answer(terminal, 'shall the old one be revoked now?', '1');
        await answer(terminal, ASKED.run, 'r');
        await answer(terminal, ASKED.run, 'r');
        await answer(terminal, ASKED.account, scene.answers['7.comment']);
        await answer(terminal, ASKED.run, 'r');
        await answer(terminal, ASKED.closing, scene.answers.closing);
        expect((await terminal.exit).exitCode).toBe(0);
        await expectVerified(run_id);
      } finally {
        rmSync(scene.directory, { recursive: true, force: true });
      }
    },
  );
});
