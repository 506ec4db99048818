import { KairosError } from '../../../base/errors.ts';
import { TEMPLATES } from '../../../operations/templates/index.ts';
import type { Template } from '../../../operations/templates/template.ts';
import { hiddenIn, invisibleIn, type Use } from '../../../protocol/invisible.ts';
import { parseProtocol } from '../../../protocol/parse.ts';
import { collapseSpace } from '../../../protocol/scan/blocks.ts';

/** What is wrong with a title; null when nothing is. */
export function faultOfTitle(title: string): string | null {
  return title.trim() === '' ? 'the title is empty' : unseen('the title', title, 'prose');
}

/** Refuses labels that would make no steps, or steps that cannot be told apart. Throws USAGE. */
export function checkSteps(labels: readonly string[]): void {
  const seen = new Set<string>();
  for (const label of labels) {
    if (label.trim() === '') throw refusal('a --step is empty', 'Say in a few words what is to be done.');
    const fault = unseen(`--step ${JSON.stringify(label)}`, label, 'prose');
    if (fault !== null) throw refusal(fault, 'Remove it.');
    const folded = collapseSpace(label).toLowerCase();
    if (seen.has(folded)) {
      throw refusal(
        `two steps are called ${JSON.stringify(label)}`,
        'Say in each what is different about it.',
      );
    }
    seen.add(folded);
  }
}

/** Refuses a command that would not come to stand anywhere, or cannot be one. Throws USAGE. */
export function checkCommand(
  command: string | null | undefined,
  template: Template,
  steps: readonly string[],
): void {
  if (command === null || command === undefined) return;
  if (template.check === null) {
    const kinds = TEMPLATES.filter(({ check }) => check !== null).map(({ kind }) => kind);
    throw refusal(
      `a protocol of the kind ${template.kind} has no command, so --check has no place in it`,
      `Kinds that take one: ${kinds.join(', ')}.`,
    );
  }
  if (steps.length > 0) {
    throw refusal(
      'steps of your own (--step) take no command, so --check has no place in them',
      'Leave one of them out, and write the command into its step afterwards.',
    );
  }
  if (command.trim() === '') throw refusal('--check is empty', 'Say which command it is.');
  const fault = unseen('--check', command, 'exact');
  if (fault !== null) throw refusal(fault, 'Remove it.');
}

/**
 * Refuses a new protocol in which anything is found, the least advice included: what begins with a finding is not looked
 * through for the next. Throws USAGE.
 */
export async function checkResult(text: string, steps: readonly string[]): Promise<void> {
  const { document } = await parseProtocol(text);
  const labels = document.chains[0]?.steps.map(({ label }) => label) ?? [];
  const lost = steps.map(collapseSpace).find((label) => !labels.includes(label));
  if (lost !== undefined) {
    throw refusal(`a section called ${JSON.stringify(lost)} is no step`, 'Choose another label.');
  }
  const { lintSource } = await import('../../../lint/lint-source.ts');
  const { messages } = await lintSource(text);
  if (messages.length === 0) return;
  const told = new Set(
    messages.map(({ severity, reason, ruleId }) => `  ${severity}: ${reason} (${ruleId})`),
  );
  throw refusal(
    `the new protocol would not be clean:\n${[...told].join('\n')}`,
    'Nothing was written. Say it in another way.',
  );
}

function unseen(what: string, text: string, use: Use): string | null {
  const [found] = [...hiddenIn(text), ...invisibleIn(text, use)];
  return found === undefined ? null : `${what} holds the character ${found.codePoint}, which nobody sees`;
}

function refusal(message: string, hint: string): KairosError {
  return new KairosError('USAGE', message, { hint });
}
