import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProposeOutput } from '../../src/operations/propose.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import {
  answerWithKey,
  entriesOf,
  guardedDocument,
  makeApprovers,
  mintTrusted,
  SWITCH,
  writePolicy,
} from '../gate/support/cli.ts';
import { type AtGuard, toGuard } from '../gate/support/served.ts';
import { overHttp, overStdio, startHttp, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** Writes its parameter down and says what it affected. */
const CMD = `printf '%s' "$KAIROS_PARAM_NOTE" > note.txt && echo '{"affected_records": 1}'`;
const envelope = {
  risk_envelope: {
    allowed_side_effects: [],
    forbidden_effects: [],
    max_affected_records: 1,
    reversible_required: false,
  },
};

const codes = ({ reasons }: ProposeOutput) => reasons?.map(({ code }) => code);

describe('serve --execute with a permit', () => {
  it.each(['sdk-1', 'sdk-2'] as const)(
    'runs what was approved by others while it was down, with its parameters as variables (%s)',
    async (kind) => {
      writePolicy(home, {
        approvers: makeApprovers(home, ['mira', 'noor']),
        rules: [{ match: { action_types: ['write'] }, approval_class: 'dual' }],
      });
      const first = await mintTrusted(home, guardedDocument(envelope, CMD), 'move-the-switch');
      const client = await overStdio(kind, home, ['--execute']);
      const guard = await toGuard(client, first);
      const proposal = { ...guard.draft, parameters: { note: '$(touch pwned); `touch pwned`' } };
      expect(await guard.propose(proposal)).toMatchObject({
        decision: 'HOLD',
        approvals: { needed: 2, given: 0 },
      });
      expect(await guard.next()).toMatchObject({ error_code: 'PROPOSAL_ON_HOLD' });
      await client.close();

      for (const name of ['mira', 'noor']) {
        expect(await answerWithKey(home, 'approve', guard.run_id, name)).toMatchObject({ code: 0 });
      }
      const again = await overStdio(kind, home, ['--execute']);
      const { uri, run_id } = guard;
      const allowed = structured<ProposeOutput>(await again.call('kairos_propose', { uri, run_id }));
      expect(allowed).toMatchObject({ decision: 'ALLOW', approvals: { needed: 2, given: 2 } });
      const done = structured<RunFields>(await again.call('kairos_next', { uri, run_id }));
      expect(done).toMatchObject({ protocol_status: 'completed', proof_hash: expect.any(String) });
      await again.close();

      expect(readFileSync(join(home.work, 'note.txt'), 'utf8')).toBe('$(touch pwned); `touch pwned`');
      expect(existsSync(join(home.work, 'pwned'))).toBe(false);
      const entries = await entriesOf(home, run_id);
      expect(
        entries.find(({ kind: of, data }) => of === 'command.started' && data.step === 2)?.data,
      ).toMatchObject({ cmd: CMD, env: ['KAIROS_PARAM_NOTE'] });
      const proof = entries.findLast(({ kind: of }) => of === 'proof.accepted')!.data;
      expect(proof).toMatchObject({
        assurance: 'observed',
        receipt: { max_affected_records: 1, affected_records: 1, effects: 'within' },
      });
    },
  );
});

describe('an agent that wants more than it may', () => {
  async function attacked(proposal: object = {}): Promise<{ client: TestClient; guard: AtGuard }> {
    const first = await mintTrusted(home, guardedDocument(proposal, CMD), 'move-the-switch');
    const client = await overStdio('sdk-2', home, ['--execute']);
    return { client, guard: await toGuard(client, first) };
  }

  const ATTACKS: [string, (draft: Record<string, unknown>) => unknown, string[]][] = [
    ['lowers action_type', (draft) => ({ ...draft, action_type: 'read' }), ['K-PROP-112']],
    [
      'aims at another target',
      (draft) => ({ ...draft, target: { ...(draft.target as object), resource_id: 'vault' } }),
      ['K-PROP-112'],
    ],
    ['forges its actor', (draft) => ({ ...draft, actor: 'root-of-all' }), ['K-PROP-109']],
    [
      'brings a rollback of its own',
      (draft) => ({ ...draft, rollback_semantics: { strategy: 'command', command: 'touch pwned' } }),
      ['K-PROP-115'],
    ],
    [
      'drops the precondition for one that holds',
      (draft) => ({
        ...draft,
        preconditions: [{ field: 'exit_code', operator: 'lt', value: 9, evidence_ref: 'step:1' }],
      }),
      ['K-PROP-114'],
    ],
    [
      'smuggles a variable by its name',
      (draft) => ({ ...draft, parameters: { 'x=1 PATH': '/tmp', 'a b': 1 } }),
      ['K-PROP-118', 'K-PROP-118'],
    ],
    [
      'says it twice, so that readers differ',
      (draft) =>
        JSON.stringify(draft).replace('"action_type":"write"', '"action_type":"read","action_type":"write"'),
      ['K-PROP-101'],
    ],
    ['asks with a command', (draft) => ({ ...draft, command: 'touch pwned' }), ['K-PROP-106']],
  ];

  it('is denied, for anything that it writes into the proposal', async () => {
    const { client, guard } = await attacked();
    const answers: unknown[] = [];
    for (const [name, change] of ATTACKS) {
      const answer = await guard.propose(change({ ...guard.draft, proposal_id: randomUUID() }));
      answers.push([name, answer.decision, codes(answer)]);
      expect((await guard.next()).error_code).toBe('PROPOSAL_REQUIRED');
    }
    expect(answers).toEqual(ATTACKS.map(([name, , expected]) => [name, 'DENY', expected]));
    await client.close();
    expect(existsSync(join(home.work, 'pwned')) || existsSync(join(home.work, 'note.txt'))).toBe(false);
  });

  it('claims the evidence, and a claim is not evidence', async () => {
    const first = await mintTrusted(home, guardedDocument({}, CMD), 'move-the-switch');
    const client = await overStdio('sdk-2', home);
    const guard = await toGuard(client, first, { type: 'shell', shell: { exit_code: 0 } });
    expect(codes(await guard.propose(guard.draft))).toEqual(['V-PROP-013']);
    await client.close();
  });

  it('puts a policy into the project, which is not read', async () => {
    const lax = JSON.stringify({ version: 1, rules: [{ match: {}, evidence_optional: true }] });
    mkdirSync(join(home.work, '.kairos'));
    for (const place of ['kairos.policy.yaml', '.kairos/kairos.policy.yaml', 'kairos.config.yaml'])
      writeFileSync(join(home.work, place), lax, { mode: 0o600 });
    const { preconditions: _, ...open } = SWITCH;
    const first = await mintTrusted(
      home,
      guardedDocument({ ...open, preconditions: undefined }, CMD),
      'move-the-switch',
    );
    const client = await overStdio('sdk-2', home, ['--execute']);
    const guard = await toGuard(client, first);
    expect(codes(await guard.propose(guard.draft))).toEqual(['K-PROP-134']);
    await client.close();
    const chosen = await kairos(home, ['proposal', 'submit', guard.run_id, '--policy', 'kairos.policy.yaml']);
    expect(chosen).toMatchObject({ code: 1, stderr: expect.stringContaining('a project could have put it') });
    // A team that keeps it there can check it there.
    const checked = await kairos(home, [
      'proposal',
      'policy',
      'check',
      join(home.work, 'kairos.policy.yaml'),
    ]);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/not usable here +the policy .* lies where a project could have put it/),
    });
  });

  it('finds its policy read again for every proposal, and never absent for being unusable', async () => {
    const file = join(home.root, 'policy.yaml');
    const write = (match: object, mode: number) => {
      writeFileSync(file, JSON.stringify({ version: 1, rules: [{ match, evidence_optional: true }] }));
      chmodSync(file, mode);
    };
    write({}, 0o600);
    const { preconditions: _, ...open } = SWITCH;
    const document = guardedDocument({ ...open, preconditions: undefined }, CMD);
    const first = await mintTrusted(home, document, 'move-the-switch');
    const client = await overStdio('sdk-2', home, ['--policy', file]);
    const guard = await toGuard(client, first, { type: 'shell', shell: { exit_code: 0 } });
    expect((await guard.propose(guard.draft)).decision).toBe('ALLOW');
    write({ action_types: ['transact'] }, 0o600);
    expect(codes(await guard.propose(guard.draft))).toContain('K-PROP-131');
    write({}, 0o666);
    await expect(guard.propose(guard.draft)).rejects.toThrow(/POLICY_UNUSABLE.*others can write to it/);
    await client.close();
  });

  it('has the configuration folder put into the project, and is found out', async () => {
    const mine = join(home.work, '.kairos');
    mkdirSync(mine, { mode: 0o700 });
    const lax = JSON.stringify({ version: 1, rules: [{ match: {}, evidence_optional: true }] });
    writeFileSync(join(mine, 'kairos.policy.yaml'), lax, { mode: 0o600 });
    const refused = { code: 1, stderr: expect.stringContaining('where a project could have put it') };
    const check = ['proposal', 'policy', 'check'];
    for (const KAIROS_CONFIG_DIR of [mine, join(mine, '..', '.kairos')])
      expect(await kairos(home, check, { env: { KAIROS_CONFIG_DIR } })).toMatchObject(refused);
    const moved = { XDG_CONFIG_HOME: home.work, KAIROS_CONFIG_DIR: '' };
    renameSync(mine, join(home.work, 'kairos'));
    expect(await kairos(home, check, { env: moved })).toMatchObject(refused);
    // From elsewhere it is a folder like any other, unless the walk is sent there.
    const KAIROS_CONFIG_DIR = join(home.work, 'kairos');
    const away = { env: { KAIROS_CONFIG_DIR }, cwd: home.home };
    expect((await kairos(home, check, away)).code).toBe(0);
    const { path, digest } = await protocolFile(home, guardedDocument());
    const answers = answersFile(home, { '2.proposal': '{}', closing: 'Moved it and saw the light go on.' });
    const walk = ['run', path, '--trust', digest, '--answers', answers, '--workdir', home.work];
    expect(await kairos(home, walk, away)).toMatchObject(refused);
  });

  it('submits what it did without permission, and uses the permit of another agent', async () => {
    const first = await mintTrusted(home, guardedDocument({}, CMD), 'move-the-switch');
    const tokens = ['a-long-enough-token-1', 'a-long-enough-token-2'];
    const env = { KAIROS_TOKEN: `ada:${tokens[0]}\neve:${tokens[1]}` };
    const server = await startHttp(home, ['--execute'], env);
    const ada = await overHttp('sdk-2', server.url, tokens[0]);
    const eve = await overHttp('sdk-2', server.url, tokens[1]);
    const guard = await toGuard(ada, first);
    const shown = await guard.next();
    const { nonce, proof_hash } = shown.challenge!;
    const done = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
    expect(await guard.next(done)).toMatchObject({ error_code: 'PROPOSAL_REQUIRED', must_obey: true });
    expect((await guard.propose(guard.draft)).decision).toBe('ALLOW');
    const { uri, run_id } = guard;
    const stolen = structured<RunFields>(await eve.call('kairos_next', { uri, run_id }));
    expect(stolen.error_code).toMatch(/PROPOSAL_REQUIRED|RUN_NOT_FOUND/);
    expect(JSON.stringify(stolen)).not.toContain('affected_records');
    expect(existsSync(join(home.work, 'note.txt'))).toBe(false);
    await Promise.all([ada.close(), eve.close()]);
    await server.stop();
  });

  it('removes the proposal from the protocol, and is refused', async () => {
    const { client, guard } = await attacked();
    const block = { proof_of_work: { type: 'shell', shell: { cmd: CMD, timeout_seconds: 20 } } };
    const weaker = await client.call('kairos_update', {
      uris: [guard.uri],
      markdown_doc: [`Then move it.\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`],
    });
    expect(JSON.stringify(weaker)).toContain('READ_ONLY');
    expect((await guard.next()).error_code).toBe('PROPOSAL_REQUIRED');
    await client.close();
  });
});
