import { hereCommand, programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import type { Uncounted } from '../gate/approval/count.ts';
import type { ApprovalStatement } from '../gate/approval/statement.ts';
import type { RefusedAnswer, Unanswerable } from '../run/decide/answer.ts';
import type { DecidedProposal } from '../run/gate-state.ts';
import type { RunState } from '../run/state.ts';
import { WHY_UNCOUNTED } from '../run/wording.ts';
import type { OperationContext } from './context.ts';

/** Why an answer is rejected, and what to do; `show`, `rollback` and `request` are the commands for that. */
const REASONS: Record<
  Unanswerable,
  readonly [why: string, hint: (show: string, rollback: string, request: string) => string]
> = {
  sealed: ['its run is sealed', () => 'Nothing is added to a sealed record.'],
  used: [
    'its permit has been used',
    (show, rollback) => `See what was done: ${show}. Roll back a failed step: ${rollback}`,
  ],
  over: ['the run is past it', (show) => `See the state of the run: ${show}`],
  denied: [
    'it was denied',
    (show) =>
      `See the reasons: ${show}. Write a new proposal, or submit this one again if the reasons no longer apply.`,
  ],
  'denied-now': ['it would be denied now', () => 'Write a new proposal.'],
  replaced: [
    'another one was submitted for the step since',
    () => 'Answer the newest proposal, or submit this one again first.',
  ],
  'not-asked': ['it needs no approval', () => 'Only a proposal on hold waits for people.'],
  'other-server': [
    'its MCP server is not the one that it was proposed with: another account may not read the file that defines it, or the file has changed',
    (_show, _rollback, request) =>
      `Let the account that proposed it write a request: ${request}. Sign that with proposal sign, and let the same account submit it with proposal submit-answer. If the file has changed, the proposal must be submitted again first.`,
  ],
  'denied-before': ['the same person has denied it already', () => 'One denial ends it.'],
  'approved-before': ['the same person has approved it already', () => 'Each person counts once.'],
  uncounted: ['the answer would not count', () => 'The policy lists who may answer, and with which keys.'],
};

/** What to do about an answer that would not count. */
const REMEDIES: Record<Uncounted, string | (() => string)> = {
  revoked: 'Sign with another key that the policy lists.',
  'not-hardware': 'Sign with a key on a security key.',
  'not-yet-valid': 'See valid_from in the policy.',
  expired: 'Sign with another key that the policy lists.',
  'no-policy': 'Write a policy that lists who may approve.',
  'other-proposal': 'The statement names the proposal by its hash.',
  'other-step': 'The statement names the run and the step.',
  'other-protocol': 'Answer the proposal again.',
  'other-policy': 'Answer the proposal again, under the current policy.',
  unbound: 'Sign the statement with the binding of the screen.',
  moved: 'Check the proposal again, then answer it.',
  'other-place': 'Check the proposal again, then answer it.',
  'unknown-key': () => `${programName()} policy check lists the keys that count.`,
  'other-approver': 'Answer under your own name.',
  proposer: 'Another approver must answer it.',
  'run-out': 'Answer the proposal again.',
  'no-terminal': 'Sign with an SSH key: --key FILE.',
  'not-in-quorum': () => `${hereCommand(['proposal', 'show', 'RUN'])} names who can approve it.`,
};

/** The error for an answer that would have no effect: what failed, why, and what to do. */
export function answerError(
  { commandLine }: OperationContext,
  { runId }: RunState,
  { why, reasons, uncounted }: RefusedAnswer,
  { hash, step }: DecidedProposal,
  decision: ApprovalStatement['decision'],
): KairosError {
  const [reason, hint] = REASONS[why];
  if (uncounted !== undefined) {
    const remedy = REMEDIES[uncounted];
    return new KairosError(
      'INVALID_INPUT',
      `the answer to proposal ${hash.slice(0, 12)} would not count: ${WHY_UNCOUNTED[uncounted]}`,
      { hint: typeof remedy === 'string' ? remedy : remedy() },
    );
  }
  const details = reasons.map(({ code, message }) => ` ${code} ${message}`).join('');
  const verb = decision === 'approve' ? 'approved' : 'denied';
  return new KairosError(
    'INVALID_INPUT',
    `proposal ${hash.slice(0, 12)} cannot be ${verb}: ${reason}${details === '' ? '' : `:${details}`}`,
    {
      hint: hint(
        commandLine(['runs', 'show', runId]),
        commandLine(['rollback', runId, String(step)]),
        commandLine(['proposal', 'request', runId, hash, '--out', 'request.json']),
      ),
    },
  );
}
