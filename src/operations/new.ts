import { KairosError, suggest } from '../base/errors.ts';
import { hiddenIn, misplacedHiddenIn, type Use } from '../protocol/hidden.ts';
import { deriveSlug, isSlug } from '../protocol/identity.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { collapseSpace } from '../protocol/scan/blocks.ts';
import { TEMPLATES } from './templates/index.ts';
import { renderTemplate, type Template } from './templates/template.ts';

/** What is known about a new protocol. */
export interface Wanted {
  title: string;
  kind: string;
  /** Null: the kind's own. */
  check: string | null;
}

export interface NewProtocolOptions {
  /** Derived from the title if absent. */
  slug?: string | undefined;
  /** Labels that replace the steps of the kind. */
  steps: readonly string[];
}

/** Checks what is known before anything is asked. Throws USAGE. */
export function checkNewProtocol(
  { slug, steps }: NewProtocolOptions,
  kind: string | undefined,
  check: string | undefined,
): void {
  if (slug !== undefined && !isSlug(slug)) throw badSlug(slug);
  checkSteps(steps);
  if (kind !== undefined) checkCommand(check, findTemplate(kind), steps);
}

/** A protocol that could be written, with what lint advises on it. */
export interface ComposedProtocol {
  title: string;
  slug: string;
  kind: string;
  text: string;
  findings: string[];
}

/** Throws USAGE when the answers make no valid protocol. */
export async function composeProtocol(
  { slug: chosen, steps }: NewProtocolOptions,
  wanted: Wanted,
): Promise<ComposedProtocol> {
  const template = findTemplate(wanted.kind);
  const fault = faultOfTitle(wanted.title);
  if (fault !== null) throw new KairosError('USAGE', fault, { hint: 'Write what the protocol is about.' });
  checkCommand(wanted.check, template, steps);
  const title = wanted.title.trim();
  const slug = chosen ?? deriveSlug(title);
  const text = await renderTemplate(template, {
    title,
    slug,
    steps,
    check: wanted.check ?? template.check ?? '',
  });
  const findings = await checkResult(text, steps);
  return { title, slug, kind: template.kind, text, findings };
}

function findTemplate(kind: string): Template {
  const kinds = TEMPLATES.map((template) => template.kind);
  const found = TEMPLATES.find((template) => template.kind === kind);
  if (found !== undefined) return found;
  const meant = suggest(kind, kinds);
  throw new KairosError('USAGE', `there is no kind ${JSON.stringify(kind)}`, {
    hint: meant === undefined ? `Kinds: ${kinds.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

function badSlug(slug: string): KairosError {
  return new KairosError('USAGE', `${JSON.stringify(slug)} is not a slug`, {
    hint: 'Use lower-case words of a-z and 0-9 joined by single hyphens, at most 64 characters.',
  });
}

/** What is wrong with a title; null when nothing is. */
export function faultOfTitle(title: string): string | null {
  return title.trim() === '' ? 'the title is empty' : unseen('the title', title, 'prose');
}

/** Rejects labels that make no steps, or steps that look alike. Throws USAGE. */
function checkSteps(labels: readonly string[]): void {
  const seen = new Set<string>();
  for (const label of labels) {
    if (label.trim() === '') throw refusal('a --step is empty', 'Write in a few words what to do.');
    const fault = unseen(`--step ${JSON.stringify(label)}`, label, 'prose');
    if (fault !== null) throw refusal(fault, 'Remove it.');
    const folded = collapseSpace(label).toLowerCase();
    if (seen.has(folded)) {
      throw refusal(
        `two steps are called ${JSON.stringify(label)}`,
        'Write in each what is different about it.',
      );
    }
    seen.add(folded);
  }
}

/** Rejects a command that the protocol has no place for, or that can't be a command. Throws USAGE. */
function checkCommand(
  command: string | null | undefined,
  template: Template,
  steps: readonly string[],
): void {
  if (command === null || command === undefined) return;
  if (template.check === null) {
    const kinds = TEMPLATES.filter(({ check }) => check !== null).map(({ kind }) => kind);
    throw refusal(
      `a protocol of the kind ${template.kind} has no command, so --check has no place in it`,
      `Kinds with a command: ${kinds.join(', ')}.`,
    );
  }
  if (steps.length > 0) {
    throw refusal(
      'steps that you name (--step) have no command, so --check has no place in them',
      'Leave one of them out, and write the command into its step afterwards.',
    );
  }
  if (command.trim() === '') throw refusal('--check is empty', 'Write the command.');
  const fault = unseen('--check', command, 'exact');
  if (fault !== null) throw refusal(fault, 'Remove it.');
}

/**
 * Lints a new protocol. Returns warnings and advice, one line each. Throws USAGE for errors, because a protocol with an error
 * can't be stored or run.
 */
async function checkResult(text: string, steps: readonly string[]): Promise<string[]> {
  const { document } = await parseProtocol(text);
  const labels = document.chains[0]?.steps.map(({ label }) => label) ?? [];
  const lost = steps.map(collapseSpace).find((label) => !labels.includes(label));
  if (lost !== undefined) {
    throw refusal(`a section called ${JSON.stringify(lost)} isn't a step`, 'Choose another label.');
  }
  const { lintSource } = await import('../lint/lint-source.ts');
  const { messages } = await lintSource(text);
  const lines = (those: typeof messages) => [
    ...new Set(those.map(({ severity, reason, ruleId }) => `${severity}: ${reason} (${ruleId})`)),
  ];
  const errors = lines(messages.filter(({ severity }) => severity === 'error'));
  if (errors.length === 0) return lines(messages);
  throw refusal(
    `the new protocol would have errors:\n${errors.map((line) => `  ${line}`).join('\n')}`,
    'Nothing was written. Change the title, the steps or the command.',
  );
}

function unseen(what: string, text: string, use: Use): string | null {
  const [found] = [...hiddenIn(text), ...misplacedHiddenIn(text, use)];
  return found === undefined ? null : `${what} contains the hidden character ${found.codePoint}`;
}

function refusal(message: string, hint: string): KairosError {
  return new KairosError('USAGE', message, { hint });
}
