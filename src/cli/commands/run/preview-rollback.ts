import { escapeForTerminal } from '../../../base/escape.ts';
import { type CommandInfo, resolveCommand } from '../../../host/commands/shell-step.ts';
import type { OperationContext } from '../../../operations/context.ts';
import type { RollbackPlan } from '../../../operations/run/rollback.ts';
import { isTrusted } from '../../../operations/run/trusted.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';
import type { RollbackCall } from './roll-back.ts';
import { placeOf } from './undo.ts';

/** `--dry-run`: what would be done to undo a step, and what the gate would say now. Nothing is recorded. */
export async function rollbackPreview(
  ctx: OperationContext,
  call: RollbackCall,
  plan: RollbackPlan,
): Promise<number> {
  const { undoable, answer, demand, environment, revision, chain, state } = plan;
  const { rollback, station, permit, inDoubt } = undoable;
  const command: CommandInfo | null =
    demand.type === 'shell'
      ? (await resolveCommand(...placeOf(call.io.env, plan.place!.workdir!, environment, demand.shell))).info
      : null;
  const trusted = await isTrusted(ctx, chain ?? revision);
  const { approvals, reasons, decision, approval_class } = answer;
  if (call.output.json) {
    call.output.object({
      run_id: state.runId,
      step: station.step,
      strategy: rollback.strategy,
      command,
      chain:
        chain === null ? null : { uri: rollback.chain_uri, slug: chain.content.slug, digest: chain.digest },
      verify: rollback.verify ?? null,
      deadline_ms: rollback.deadline_ms ?? null,
      failed_at: permit.failedAt,
      in_doubt: inDoubt,
      under_way: state.gate.undoing !== null,
      trusted,
      gate: { decision, approval_class, approvals, reasons },
    });
    return EXIT.ok;
  }
  const rows: [string, string][] = [
    ['step', String(station.step)],
    ['failed', inDoubt ? `not known; permitted ${permit.failedAt}` : permit.failedAt],
    ['strategy', rollback.strategy],
    ...(command === null
      ? []
      : ([
          ['command', command.cmd],
          ['runs in', command.cwd],
          ['timeout', `${command.timeoutSeconds} s`],
          ['environment', command.env.join(', ') || 'none'],
          ...(command.danger === null ? [] : ([['careful', command.danger]] as [string, string][])),
        ] as [string, string][])),
    ...(chain === null
      ? []
      : ([['protocol', `${chain.content.slug} ${chain.digest}`]] as [string, string][])),
    ['verified by', rollback.verify ?? 'nothing'],
    [
      'deadline',
      rollback.deadline_ms === undefined ? 'none' : `${rollback.deadline_ms} ms after the failure`,
    ],
    ['trusted', trusted ? 'yes' : 'no'],
    ['the gate', `${decision}, ${approvals.given} of ${approvals.needed} approvals`],
  ];
  call.output.print(await keyValues(rows, call.output));
  for (const { code, pointer, message } of reasons)
    call.output.print(`  ${code}  ${escapeForTerminal(pointer)}  ${message}`);
  if (state.gate.undoing !== null)
    call.output.print('A rollback was begun already and its end is not known.');
  call.output.print('\nNothing was done.');
  return EXIT.ok;
}
