import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { example, exampleTemplate } from '../gate/support/case.ts';
import { keyOf, ME, makeApprovers, writePolicy } from '../gate/support/cli.ts';
import { type CliHome, type CliResult, KAIROS_BIN, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** Accounts that every Linux has. Only root can act as another account. */
const ACCOUNTS = { mira: 1, noor: 65_534 } as const;
type Person = keyof typeof ACCOUNTS;
const CAN_SWITCH = process.platform === 'linux' && process.getuid?.() === 0;

let home: CliHome;
let people: Record<Person, CliHome>;
/** What the accounts hand to one another. */
let shared: string;
beforeEach(() => {
  home = makeHome();
  people = { mira: makeHome(), noor: makeHome() };
  shared = mkdtempSync(join(tmpdir(), 'kairos-shared-'));
  chmodSync(shared, 0o777);
});
afterEach(() => {
  for (const { remove } of [home, ...Object.values(people)]) remove();
  rmSync(shared, { recursive: true, force: true });
});

function give(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) give(inner, uid);
    else lchownSync(inner, uid, uid);
  }
}

/** Runs the real binary as this person's account, in its own home. */
function as(person: Person, args: readonly string[]): Promise<CliResult> {
  const uid = String(ACCOUNTS[person]);
  const { env, work } = people[person];
  const command = ['--reuid', uid, '--regid', uid, '--clear-groups', process.execPath, KAIROS_BIN, ...args];
  return new Promise((resolve) => {
    const child = execFile('setpriv', command, { env, cwd: work }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, signal: null, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

const UPDATES = JSON.stringify({ email: 'new@example.com', notes: 'Updated via automation' });

/** The example of the specification: a contact is updated, once its record is known to exist. */
function contactDocument(): string {
  const { action_type, target, parameters } = example();
  const { risk_envelope, time_window } = exampleTemplate();
  const proof = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 } } });
  const template = {
    ...{ action_type, target, risk_envelope, time_window },
    effects: ['audit_log_entry'],
    preconditions: [
      { field: '/stdout_json/record_exists', operator: 'eq', value: true, evidence_ref: 'evidence-001' },
    ],
    evidence_bindings: [{ evidence_id: 'evidence-001', ref: 'step:1' }],
    rollback_semantics: { strategy: 'command', command: 'rm -f contact.json' },
    parameters_schema: {
      type: 'object',
      properties: { updates: { const: (parameters as { updates: object }).updates } },
    },
  };
  const look = proof(`echo '{"record_exists": true}'`);
  const act = {
    ...proof('printf %s "$KAIROS_PARAM_UPDATES" > contact.json; echo \'{"affected_records": 1}\''),
    proposal: template,
  };
  return `# Update a contact\n\n${stepOf('Look', 'Read the record.', look)}\n${stepOf('Update', 'Write the fields.', act)}`;
}

describe.runIf(CAN_SWITCH)('an action that two people approve from separate accounts', () => {
  it('is done once both have seen and signed it, and not before', async () => {
    const approvers = (Object.keys(ACCOUNTS) as Person[]).flatMap((name) =>
      makeApprovers(people[name], [name]),
    );
    for (const [name, uid] of Object.entries(ACCOUNTS)) give(people[name as Person].root, uid);
    writePolicy(home, {
      approvers,
      rules: [{ match: { action_types: ['write'], domain: 'salesforce.com' }, approval_class: 'dual' }],
    });
    const { path, digest } = await protocolFile(home, contactDocument());
    const { parameters } = example();
    const answers = answersFile(home, {
      '2.proposal': { parameters },
      closing: 'The contact has the new address and the note.',
    });
    const walk = ['--trust', digest, '--answers', answers];
    const held = await kairosJson(home, ['run', path, ...walk]);
    expect(held.code).toBe(3);
    const runId = String(held.objects.find(({ event }) => event === 'begun')?.run_id);
    const request = join(shared, 'request.json');
    await kairos(home, ['proposal', 'request', runId, '--out', request]);
    chmodSync(request, 0o644);
    const { screen } = JSON.parse(readFileSync(request, 'utf8')) as { screen: Record<string, unknown> };
    expect(screen).toMatchObject({ proposed_by: ME, needed: 2, could_approve: ['mira', 'noor'] });
    const hash = String(screen.proposal_hash);

    // The other account's key can't be read, and its own store is no part of this.
    const stolen = await as('mira', ['proposal', 'sign', request, hash, '--key', keyOf(people.noor, 'noor')]);
    expect(stolen.code).not.toBe(0);
    expect((await as('mira', ['runs', 'show', runId])).stderr).toContain(runId);
    for (const name of Object.keys(ACCOUNTS) as Person[]) {
      expect((await kairosJson(home, ['resume', runId, ...walk])).code).toBe(3);
      const key = keyOf(people[name], name);
      const signed = await as(name, ['proposal', 'sign', request, hash, '--key', key]);
      expect(signed).toMatchObject({ code: 0 });
      const answer = join(shared, `${name}.json`);
      writeFileSync(answer, signed.stdout);
      // Signed bytes that OpenSSH verifies by itself.
      const { statement, signature } = JSON.parse(signed.stdout) as Record<string, string>;
      writeFileSync(join(shared, 'sig'), signature!);
      writeFileSync(join(shared, 'signers'), `${name} ${readFileSync(`${key}.pub`, 'utf8')}`);
      const verify = ['-Y', 'verify', '-f', join(shared, 'signers'), '-I', name, '-n', 'kairos-approval'];
      const checked = execFileSync('ssh-keygen', [...verify, '-s', join(shared, 'sig')], {
        input: statement!,
      });
      expect(String(checked)).toContain('Good "kairos-approval" signature');
      expect(await kairos(home, ['proposal', 'submit-answer', answer])).toMatchObject({ code: 0 });
    }
    expect((await kairosJson(home, ['resume', runId, ...walk])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(home.work, 'contact.json'), 'utf8'))).toEqual(JSON.parse(UPDATES));
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
  });
});
