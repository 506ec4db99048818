import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { LedgerEntry } from '../../../src/ledger/entry.ts';
import { type CliHome, type CliOptions, kairos, kairosJson } from '../../support/cli.ts';
import { exportedLedger } from '../../support/ledger.ts';
import { stepOf } from '../../support/protocols.ts';
import { answersFile, protocolFile } from '../../support/run.ts';
import { makeSshKey } from '../../support/ssh-key.ts';

/** The rows of a table in docs/approval-attacks.md, what was refused by attempt: of the first, or of the further attempts. */
export function attackRows(which: 'first' | 'further'): Map<string, string> {
  const page = readFileSync(new URL('../../../docs/approval-attacks.md', import.meta.url), 'utf8');
  const [first = '', further = ''] = page.split('## Further attempts');
  const table = which === 'first' ? first : further.split('\n## ')[0]!;
  const rows = table.matchAll(/^\| (.+?) \| refused: (.+?) \|$/gm);
  return new Map([...rows].map(([, attempt, result]) => [attempt!, result!]));
}

/** Who the command line is in tests. */
export const ME = userInfo().username;

/** What the gated step writes into, where it works. */
export const DONE = 'done.txt';

const target = { resource_type: 'switch', resource_id: 'main', domain: 'house.example', constraints: {} };

export const SWITCH = {
  action_type: 'write',
  target,
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
};

/** Look, do the gated thing, look back. The command leaves a line for each time that it runs. */
export function guardedDocument(
  proposal: object = {},
  cmd = `echo ran >> ${DONE}`,
  title = 'Move the switch',
  more: object = {},
): string {
  const look = { proof_of_work: { type: 'shell', shell: { cmd: 'test -d .', timeout_seconds: 20 } } };
  const act = {
    proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20, ...more } },
    proposal: { ...SWITCH, ...proposal },
  };
  return `# ${title}\n\n${stepOf('Look', 'Look at it first.', look)}\n${stepOf('Move', 'Then move it.', act)}\n${stepOf('Look back', 'See what came of it.', null)}`;
}

/** The same with a call of a tool of the server `db`. */
export function toolDocument(): string {
  const look = { proof_of_work: { type: 'shell', shell: { cmd: 'test -d .', timeout_seconds: 20 } } };
  const act = {
    proof_of_work: { type: 'mcp', mcp: { tool_name: 'drop_table', server: 'db', arguments: {} } },
    proposal: SWITCH,
  };
  return `# Drop the table\n\n${stepOf('Look', 'Look at it first.', look)}\n${stepOf('Drop', 'Then drop it.', act)}\n${stepOf('Look back', 'See what came of it.', null)}`;
}

/** A policy in the user's own configuration folder. JSON is YAML. */
export function writePolicy(home: CliHome, policy: object): void {
  const path = join(home.config, 'kairos.policy.yaml');
  writeFileSync(path, JSON.stringify({ version: 1, ...policy }));
  chmodSync(path, 0o600);
}

/** SSH keys of people, in the home; answers the approvers of a policy that has them. */
export function makeApprovers(home: CliHome, names: readonly string[]) {
  return names.map((name) => {
    const path = keyOf(home, name);
    makeSshKey(path);
    return { name, actors: [name], keys: [{ key: readFileSync(`${path}.pub`, 'utf8').trim() }] };
  });
}

export function keyOf(home: CliHome, name: string): string {
  return join(home.home, `key-${name}`);
}

/** `kairos run` of a document with answers; the closing comment is always among them. */
export async function runGuarded(
  home: CliHome,
  document: string,
  answers: Record<string, unknown> = { '2.proposal': '{}' },
  options: CliOptions = {},
): Promise<{ code: number | null; runId: string; trust: string; objects: Record<string, unknown>[] }> {
  const { path, digest } = await protocolFile(home, document);
  const file = answersFile(home, { ...answers, closing: 'Moved the switch and saw the light go on.' });
  const run = await kairosJson(home, ['run', path, '--trust', digest, '--answers', file], options);
  const runId = String(run.objects.find(({ event }) => event === 'begun')?.run_id);
  return { code: run.code, runId, trust: digest, objects: run.objects };
}

/** `kairos resume` with the same answers. */
export function resumeGuarded(home: CliHome, runId: string, trust: string) {
  return kairosJson(home, ['resume', runId, '--trust', trust, '--answers', join(home.work, 'answers.yaml')]);
}

/** How often the gated command has run. */
export function timesRun(home: CliHome): number {
  const path = join(home.work, DONE);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
}

export async function entriesOf(home: CliHome, runId: string): Promise<LedgerEntry[]> {
  return (await exportedLedger(home, runId)).entries;
}

/** Mints a document and trusts it; answers the URI of its first step. */
export async function mintTrusted(home: CliHome, document: string, slug: string): Promise<string> {
  const { path, digest } = await protocolFile(home, document, `${slug}.md`);
  const { objects } = await kairosJson(home, ['mint', '--force', path], { prepares: true });
  const { code, stderr } = await kairos(home, ['trust', slug, '--digest', digest], { prepares: true });
  if (code !== 0) throw new Error(stderr);
  return (objects[0] as { items: { uri: string }[] }).items[0]!.uri;
}

/** Answers the newest proposal of a run with the key of this person, naming it by its whole hash as a script has to. */
export async function answerWithKey(
  home: CliHome,
  decision: 'approve' | 'deny',
  runId: string,
  name: string,
  ...more: string[]
) {
  const shown = await kairosJson(home, ['proposal', 'show', runId], { prepares: true });
  const hash = String(shown.objects[0]?.proposal_hash);
  return kairos(home, ['proposal', decision, runId, hash, '--key', keyOf(home, name), ...more]);
}
