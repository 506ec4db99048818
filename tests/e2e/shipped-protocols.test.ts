import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  /** `--inputs` with the file, where the protocol has some. */
  inputs: string[];
  answers: Record<string, string>;
}

/** The place where a protocol can be walked, and an answer for everything that `kairos run` says it will ask. */
async function prepare(protocol: Shipped): Promise<Scene> {
  const { name, path } = protocol;
  const walk = walks[name]!;
  const directory = await prepareDirectory(walk);
  const env = { ...walk.env, PATH: FAKES_PATH };
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

  writeFileSync(join(directory, 'inputs.json'), JSON.stringify(walk.inputs));
  const inputs = Object.keys(walk.inputs).length > 0 ? ['--inputs', 'inputs.json'] : [];
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

  it.each(byFile)('$name is sealed, and its record verifies', { timeout: 60_000 }, async (protocol) => {
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

describe('rotate-leaked-credential', () => {
  it.runIf(SPAWNS)(
    "accepts a file's word only up to its confirmation, and a person's to its end",
    {
      timeout: 60_000,
    },
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
