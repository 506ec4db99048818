// The time of one decision of the gate, and of getting a permit: node bench/gate.mjs [decisions]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decideProposal, loadTools } from '../dist/bench.js';
import { machine } from './lib.mjs';

const decisions = Number(process.argv[2] ?? 5000);
console.log(`gate; ${machine()}`);

const target = { resource_type: 'crm_record', resource_id: 'c1', domain: 'crm.example', constraints: {} };
const template = { action_type: 'write', target, time_window: { max_duration_ms: 30_000 } };
const now = 1_767_225_600_000;
const proposal = {
  proposal_id: '4d4f1392-5897-4728-b441-7895524ff99d',
  ts_ms: now,
  actor: 'agent',
  action_type: 'write',
  target,
  parameters: { note: 'hello' },
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
  time_window: { valid_from_ms: now, valid_until_ms: now + 300_000, max_duration_ms: 30_000 },
};
const input = {
  submitted: JSON.stringify(proposal),
  gated: {
    runId: 'r',
    step: 2,
    chainDigest: 'c'.repeat(64),
    template,
    demand: {
      type: 'shell',
      required: true,
      shell: { cmd: 'true', timeout_seconds: 60, expect_exit_code: 0 },
    },
  },
  evidence: [
    {
      hash: 'e'.repeat(64),
      step: 1,
      type: 'shell',
      assurance: 'observed',
      at: now,
      packet: { exit_code: 0 },
    },
  ],
  actor: 'agent',
  policy: null,
  past: [],
  approvals: [],
  now,
  tools: await loadTools({ patterns: true, schemas: true }),
  holdsSecret: () => false,
};
const times = [];
for (let at = 0; at < decisions; at += 1) {
  const begun = performance.now();
  const { decision } = decideProposal(input);
  times.push(performance.now() - begun);
  if (decision !== 'ALLOW') throw new Error(decision);
}
/** The minimum for any gate: parse the proposal once and hash it once. */
const floors = [];
for (let at = 0; at < decisions; at += 1) {
  const begun = performance.now();
  createHash('sha256')
    .update(JSON.stringify(JSON.parse(input.submitted)))
    .digest('hex');
  floors.push(performance.now() - begun);
}
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))];
const told = (share) =>
  `${(quantile(times, share) * 1000).toFixed(0)} us (${(quantile(times, share) / quantile(floors, share)).toFixed(1)} x)`;
console.log(
  `decision, over parsing and hashing the text once: median ${told(0.5)}, p99 ${told(0.99)}; ${decisions}`,
);

const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-'));
try {
  const [data, config, work] = ['data', 'config', 'work'].map((name) => join(folder, name));
  for (const path of [data, config, work]) mkdirSync(path, { mode: 0o700 });
  const policy = { version: 1, rules: [{ match: { action_types: ['write'] }, evidence_optional: true }] };
  writeFileSync(join(config, 'kairos.policy.yaml'), JSON.stringify(policy), { mode: 0o600 });
  const block = { proof_of_work: { type: 'shell', shell: { cmd: 'true' } }, proposal: template };
  const file = join(folder, 'p.md');
  writeFileSync(file, `# Guarded\n\n## Do\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`);
  const bin = fileURLToPath(new URL('../bin/kairos.js', import.meta.url));
  const env = { ...process.env, KAIROS_DATA_DIR: data, KAIROS_CONFIG_DIR: config };
  const kairos = (args, stdin = '') => {
    try {
      return execFileSync(process.execPath, [bin, ...args, '--json'], {
        input: stdin,
        cwd: work,
        env,
        encoding: 'utf8',
      });
    } catch (error) {
      // An error of a run is a result too: exit code 1 and the object on standard output.
      return error.stdout;
    }
  };
  const [{ uri }] = JSON.parse(kairos(['mint', file])).items;
  const { run_id: run } = JSON.parse(kairos(['begin', uri]));
  const required = kairos(['next', uri, '--run', run]);
  const { error_code, challenge } = JSON.parse(required);
  const draft = JSON.stringify(challenge.proposal_draft);
  const answer = kairos(['proposal', 'submit', run, '-'], draft);
  const { decision } = JSON.parse(answer);
  if (error_code !== 'PROPOSAL_REQUIRED' || decision !== 'ALLOW')
    throw new Error(`${error_code}, ${decision}`);
  const read = required.length + answer.length;
  console.log(
    `from PROPOSAL_REQUIRED to a permit: 1 call, ${draft.length} bytes written, ${read} bytes read`,
  );

  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const approvers = [{ name: 'mira', keys: [{ key: readFileSync(`${key}.pub`, 'utf8').trim() }] }];
  const strict = { version: 1, approvers, rules: [{ match: {}, approval_class: 'single' }] };
  writeFileSync(join(config, 'kairos.policy.yaml'), JSON.stringify(strict), { mode: 0o600 });
  const { run_id: second } = JSON.parse(kairos(['begin', uri]));
  const asked = kairos(['next', uri, '--run', second]);
  const text = JSON.stringify(JSON.parse(asked).challenge.proposal_draft);
  const held = kairos(['proposal', 'submit', second, '-'], text);
  kairos(['proposal', 'approve', second, '--key', key]);
  const allowed = kairos(['proposal', 'submit', second]);
  if (JSON.parse(held).decision !== 'HOLD' || JSON.parse(allowed).decision !== 'ALLOW')
    throw new Error(`${held}${allowed}`);
  console.log(
    `with one approval: 2 calls and the approver's one, ${text.length} bytes written, ${asked.length + held.length + allowed.length} bytes read`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
