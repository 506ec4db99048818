import { escapeForTerminal } from '../../../base/escape.ts';
import { MAX_BYTES } from '../../../gate/json/limits.ts';
import { propose } from '../../../operations/propose.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { stepUri } from '../../../protocol/identity.ts';
import { pendingStation } from '../../../run/state.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { readSource } from '../../read-source.ts';
import { keyValues } from '../../terminal/layout.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos proposal submit`: the gate gets the text unchanged, so that it judges everything in it. */
export const proposalSubmitCommand: Handler<[string, string | undefined], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { args, io, output } = call;
    const { runId } = await storedRun(ctx, args[0]);
    const { state } = (await loadRun(ctx, runId))!;
    const step = pendingStation(state)?.step ?? state.content.steps.length;
    const text = args[1] === undefined ? undefined : await readSource(args[1], io, { maxBytes: MAX_BYTES });
    const answer = await propose(ctx, {
      uri: stepUri(state.chainId, step),
      run_id: runId,
      ...(text === undefined ? {} : { proposal: text }),
    });
    if (output.json) output.object(answer);
    else {
      const rows: [string, string][] = [
        ['decision', answer.decision ?? answer.error_code ?? ''],
        ['proposal', answer.proposal_hash ?? 'none that can be read'],
      ];
      if (answer.approvals !== undefined)
        rows.push(['approvals', `${answer.approvals.given} of ${answer.approvals.needed}`]);
      if (answer.expires_at !== undefined) rows.push(['permit until', answer.expires_at]);
      output.print(await keyValues(rows, output));
      for (const { code, pointer, message } of answer.reasons ?? [])
        output.print(`  ${code}  ${escapeForTerminal(pointer)}  ${message}`);
      if (answer.message != null) output.note(answer.message);
    }
    return answer.error_code == null ? EXIT.ok : EXIT.failed;
  });
