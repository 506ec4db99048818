import { escapeForTerminal } from '../../base/escape.ts';
import type { AttestOutput } from '../../operations/schemas.ts';
import type { Output } from '../output.ts';
import { heading, keyValues } from '../terminal/layout.ts';
import { renderMarkdown } from '../terminal/markdown.ts';
import { demandRows } from './demand.ts';
import type { NextCommand } from './next-command.ts';
import { worthOf } from './run.ts';
import { violationLines } from './violations.ts';

export interface WalkAnswerParts {
  answer: AttestOutput;
  /** Label and place of the shown step, from the run's own revision; null without a run. */
  step: { label: string; place: string } | null;
  commands: readonly NextCommand[];
}

/** The result of begin, next or attest for people: what happened, the step, its demand, what to type. */
export async function walkAnswerView(parts: WalkAnswerParts, output: Output): Promise<string> {
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

function verdict(
  { error_code, cause_code, message, retry_count, violations }: AttestOutput,
  { color }: Output,
): string {
  const said = message == null ? '' : escapeForTerminal(message);
  if (error_code == null) return said;
  const code = cause_code == null ? error_code : `${error_code} (${cause_code})`;
  const retries =
    retry_count === undefined || retry_count === 0 ? '' : ` Failures of this step: ${retry_count}.`;
  const wrong = violationLines(violations).map((line) => `\n  ${escapeForTerminal(line)}`);
  return `${color.red.bold(code)}  ${said}${retries}${wrong.join('')}`;
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

async function currentStep({ answer, step }: WalkAnswerParts, { color, width }: Output): Promise<string> {
  const shown = answer.current_step;
  if (shown == null) return '';
  const body = await renderMarkdown(shown.content, { width, color });
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
  return `${escapeForTerminal(asked.description)}\n${rows}`;
}
