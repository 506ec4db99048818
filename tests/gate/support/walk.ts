import { next } from '../../../src/operations/next.ts';
import { type ProposeOutput, propose } from '../../../src/operations/propose.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../../support/context.ts';
import { stepOf } from '../../support/protocols.ts';
import { startWalk, type Walk } from '../../support/walk.ts';
import { policyOf } from './case.ts';

/** The command of the gated step: nobody may see it before a permit is consumed. */
export const GUARDED_CMD = 'crm-update --contact 12345';

const CHECK = { proof_of_work: { type: 'shell', shell: { cmd: 'crm-read 12345' } } };

/** What every test template sets, unless it says otherwise. */
export const TEMPLATE = {
  action_type: 'write',
  target: {
    resource_type: 'crm_record',
    resource_id: 'contact-12345',
    domain: 'crm.example',
    constraints: {},
  },
  effects: ['audit_log_entry'],
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'checked' }],
  risk_envelope: {
    allowed_side_effects: ['audit_log_entry'],
    forbidden_effects: [],
    max_affected_records: 1,
    reversible_required: true,
  },
  rollback_semantics: { strategy: 'command', command: 'crm-restore 12345' },
  time_window: { max_duration_ms: 30_000 },
  evidence_bindings: [{ evidence_id: 'checked', ref: 'step:1', freshness_ms: 600_000 }],
};

/** A protocol of three steps: look, do the gated thing, look back. */
export function guardedProtocol(template: object = {}, proof: object = {}, beside: object = {}): string {
  const block = {
    proof_of_work: { type: 'shell', shell: { cmd: GUARDED_CMD, timeout_seconds: 120 }, ...proof },
    proposal: { ...TEMPLATE, ...template },
    ...beside,
  };
  return `# Guarded\n\n${stepOf('Look', 'Look first.', CHECK)}\n${stepOf('Do', 'Then do it.', block)}\n${stepOf('Look back', 'Look back.', null)}`;
}

export interface GuardedWalk extends Walk {
  ctx: TestContext;
  /** The answer that shows the gated step. */
  shown: RunFields;
  propose(proposal?: unknown, ctx?: TestContext): Promise<ProposeOutput>;
  /** kairos_next on the gated step, without a solution. */
  consume(ctx?: TestContext): Promise<RunFields>;
}

/** A run that stands before its gated step, the first one proven by an observed command. */
export async function walkToGuard(
  options: {
    template?: object;
    proof?: object;
    /** Further keys of the gated step's block. */
    beside?: object;
    policy?: unknown;
    ctx?: TestContext;
    assurance?: 'claimed' | 'observed';
  } = {},
): Promise<GuardedWalk> {
  const ctx = options.ctx ?? (await makeContext());
  if (options.policy !== undefined) {
    const loaded = policyOf(options.policy);
    ctx.policy = async () => loaded;
  }
  const walk = await startWalk(ctx, guardedProtocol(options.template, options.proof, options.beside));
  const { nonce, proof_hash } = walk.begun.challenge!;
  const shown = await next(
    ctx,
    {
      uri: walk.uris[0]!,
      run_id: walk.runId,
      solution: {
        type: 'shell',
        nonce,
        proof_hash,
        shell: { exit_code: 0, stdout: '{"record_exists":true}' },
      },
    },
    { assurance: options.assurance ?? 'observed' },
  );
  return {
    ...walk,
    ctx,
    shown,
    propose: (proposal, other = ctx) =>
      propose(other, {
        uri: walk.uris[1]!,
        run_id: walk.runId,
        ...(proposal === undefined ? {} : { proposal }),
      }),
    consume: (other = ctx) => next(other, { uri: walk.uris[1]!, run_id: walk.runId }),
  };
}
