import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readSource } from '../../../host/files/read-source.ts';
import { draftProposal, pendingUri, proposalLimits } from '../../../operations/proposals.ts';
import { judgeOnly, propose } from '../../../operations/propose.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';
import { namedRun } from '../../views/run.ts';

/** `kairos proposal submit`: the gate gets the text unchanged, so that it judges everything in it. */
export const proposalSubmitCommand: Handler<[string, string | undefined], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { args, io, output } = call;
    const { runId } = await namedRun(ctx, output, args[0]);
    const text = args[1] === undefined ? undefined : await readSource(args[1], io, proposalLimits);
    const answer = await propose(ctx, {
      uri: await pendingUri(ctx, runId),
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

/** `kairos proposal new`: the filled template as a JSON document, to complete and submit. Changes nothing. */
export const proposalNewCommand: Handler<[string], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await namedRun(ctx, call.output, call.args[0]);
    const draft = await draftProposal(ctx, runId);
    call.output.document(`${JSON.stringify(draft, null, 2)}\n`, { json: true });
    return EXIT.ok;
  });

/** `kairos proposal validate`: exit 0 for ALLOW and HOLD, 1 for DENY. Nothing is recorded. */
export const proposalValidateCommand: Handler<[string, string], unknown> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { args, io, output } = call;
    const { runId } = await namedRun(ctx, output, args[0]);
    const answer = await judgeOnly(ctx, runId, await readSource(args[1], io, proposalLimits));
    if (answer === null)
      throw new KairosError('INVALID_INPUT', `the pending step of run ${runId} has no proposal`, {
        hint: `See its state with: ${ctx.commandLine(['runs', 'show', runId])}`,
      });
    const { permit: _, ...rest } = answer;
    if (output.json) output.object(rest);
    else {
      output.print(answer.decision);
      for (const { code, pointer, message } of answer.reasons)
        output.print(`  ${code}  ${escapeForTerminal(pointer)}  ${message}`);
    }
    return answer.reasons.length === 0 ? EXIT.ok : EXIT.failed;
  });
