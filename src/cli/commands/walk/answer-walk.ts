import { escapeForTerminal } from '../../../base/escape.ts';
import type { AttestOutput } from '../../../operations/attest.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { Call } from '../../command.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { heading, keyValues } from '../../terminal/layout.ts';
import { renderMarkdown } from '../../terminal/markdown.ts';
import { demandRows, personDescription, personMessage, violationLines } from '../../views/demand.ts';
import { type NextCommand, nextCommands } from '../../views/next-command.ts';
import { worthOf } from '../../views/run.ts';

/**
 * Prints the result of begin, next or attest: the tool's object, or text for people. A run error ends with 1.
 */
export async function printRunAnswer(
  ctx: OperationContext,
  { output }: Call<unknown[]>,
  answer: AttestOutput,
): Promise<number> {
  if (output.json) output.object(answer);
  else {
    const commands = nextCommands(answer, ctx.commandLine);
    const step = await shownStep(ctx, answer);
    const view = await runAnswerView({ answer, step, commands }, output);
    output.print(view);
    if (answer.next_action === null && answer.run_id != null) {
      output.print(`\nTo check the record:\n  ${ctx.commandLine(['verify', answer.run_id])}`);
    }
  }
  return answer.error_code == null ? EXIT.ok : EXIT.failed;
}

/** The label of the shown step in the run's pinned revision. */
async function shownStep(ctx: OperationContext, answer: AttestOutput): Promise<RunAnswerParts['step']> {
  const uri = answer.current_step?.uri;
  if (uri === undefined || answer.run_id == null) return null;
  const revision = (await loadRun(ctx, answer.run_id))?.revision;
  if (revision === undefined) return null;
  const { steps } = revision.content;
  const at = steps.findIndex((_, index) => stepUri(revision.chainId, index + 1) === uri);
  const step = steps[at];
  return step === undefined ? null : { label: step.label, place: `${at + 1}/${steps.length}` };
}

interface RunAnswerParts {
  answer: AttestOutput;
  /** Label and place of the shown step, from the run's own revision; null without a run. */
  step: { label: string; place: string } | null;
  commands: readonly NextCommand[];
}

/** The result of begin, next or attest for people: what happened, the step, its demand, what to type. */
export async function runAnswerView(parts: RunAnswerParts, output: Output): Promise<string> {
  const { answer } = parts;
  const blocks = [
    verdict(answer, output),
    await sealed(answer, output),
    answer.next_action === null ? '' : await currentStep(parts, output),
    answer.next_action === null ? '' : await challenge(answer, output),
    parts.commands
      .map(({ purpose, line }) => `${purpose}\n  ${output.color.bold(escapeForTerminal(line))}`)
      .join('\n'),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function verdict(answer: AttestOutput, { color }: Output): string {
  const { error_code, cause_code, retry_count, violations } = answer;
  const said = escapeForTerminal(personMessage(answer));
  if (error_code == null) return said;
  const code = cause_code == null ? error_code : `${error_code}, ${cause_code}`;
  const retries =
    retry_count === undefined || retry_count === 0 ? '' : ` Failures of this step: ${retry_count}.`;
  const wrong = violationLines(violations).map((line) => `\n  ${escapeForTerminal(line)}`);
  return `${color.red(said)} (${code})${retries}${wrong.join('')}`;
}

async function sealed({ results, ledger_head, assurance }: AttestOutput, { color }: Output): Promise<string> {
  const [result] = results ?? [];
  if (result === undefined) return '';
  return keyValues(
    [
      ['outcome', result.outcome],
      ['message', result.message],
      ['sealed at', result.rated_at],
      ...(assurance === undefined ? [] : [['proofs', worthOf(assurance)] as const]),
      ['ledger head', ledger_head ?? ''],
    ],
    { color },
  );
}

async function currentStep({ answer, step }: RunAnswerParts, { color, width }: Output): Promise<string> {
  const shown = answer.current_step;
  if (shown == null) return '';
  const body = await renderMarkdown(shown.content ?? '', { width, color });
  return [
    step === null ? '' : heading(step.label, { place: step.place, color }),
    color.dim(escapeForTerminal(shown.uri)),
    ...(body === '' ? [] : ['', body]),
  ]
    .join('\n')
    .replace(/^\n/, '');
}

async function challenge({ challenge: asked }: AttestOutput, { color }: Output): Promise<string> {
  if (asked == null) return '';
  const rows = await keyValues(demandRows(asked), { color });
  return `${escapeForTerminal(personDescription(asked))}\n${rows}`;
}
