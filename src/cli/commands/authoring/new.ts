import { resolve } from 'node:path';
import { shellQuote } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { suggest } from '../../../base/suggest.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { TEMPLATES } from '../../../operations/templates/index.ts';
import { renderTemplate, type Template } from '../../../operations/templates/template.ts';
import { deriveSlug, isSlug } from '../../../protocol/identity.ts';
import { hiddenIn, misplacedHiddenIn, type Use } from '../../../protocol/invisible.ts';
import { parseProtocol } from '../../../protocol/parse.ts';
import { collapseSpace } from '../../../protocol/scan/blocks.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { RUN_EXIT } from '../run/session.ts';
import { askForNew, type Wanted } from './new-questions.ts';
import { checkNew, type NewOptions } from './options.ts';

type NewCall = Call<[string | undefined], NewOptions>;

/**
 * `kairos new`. Ends with 3 and the questions if input is needed and not available. With `--json`:
 * `{file, slug, title, kind, next, findings}`.
 */
export const newCommand: Handler<[string | undefined], NewOptions> = async (call) => {
  const { options, output } = call;
  checkNew(call.args[0], options);
  if (options.slug !== undefined && !isSlug(options.slug)) throw badSlug(options.slug);
  const { step: steps = [] } = options;
  checkSteps(steps);
  if (options.kind !== undefined) checkCommand(options.check, findTemplate(options.kind), steps);
  if (options.title !== undefined) {
    const { title, kind = TEMPLATES[0]!.kind, check = null } = options;
    return write(call, { title, kind, check });
  }
  const asked = await askForNew(call, {
    title: (title) => faultOfTitle(title) ?? true,
    protocol: (wanted) => faultOf(call, wanted),
  });
  if (asked.kind === 'interrupt') return asked.exitCode;
  if (asked.kind === 'unanswered') {
    output.object({ questions: asked.questions });
    if (!output.json)
      output.note(
        'Input is required, but no terminal, pipe or answers file is available. With --title kairos asks nothing.',
      );
    return RUN_EXIT.inputNeeded;
  }
  return write(call, asked.wanted);
};

async function write(call: NewCall, wanted: Wanted): Promise<number> {
  const { args, options, io, output } = call;
  const [name] = args;
  const { title, slug, kind, text, findings } = await compose(call, wanted);
  const file = name ?? `${slug}.md`;
  for (const finding of findings) output.note(output.noteColor.yellow(escapeForTerminal(finding)));
  if (file === '-') {
    output.document(text);
    return EXIT.ok;
  }
  await writeFileAtomically(resolve(io.cwd, file), text, options.force === true);
  const next = `kairos show ${shellQuote(isSlug(file) ? `./${file}` : file)}`;
  if (output.json) output.object({ file, slug, title, kind, next, findings });
  else {
    output.print(`${output.color.green('wrote')}  ${escapeForTerminal(file)}`);
    output.note(`Fill it in, then check how it looks in a run: ${escapeForTerminal(next)}`);
  }
  return EXIT.ok;
}

/** A protocol that could be written, with what lint advises on it. */
interface Composed {
  title: string;
  slug: string;
  kind: string;
  text: string;
  findings: string[];
}

/** Throws USAGE when the answers make no valid protocol. */
async function compose({ options }: NewCall, wanted: Wanted): Promise<Composed> {
  const template = findTemplate(wanted.kind);
  const { step: steps = [] } = options;
  const fault = faultOfTitle(wanted.title);
  if (fault !== null) throw new KairosError('USAGE', fault, { hint: 'Write what the protocol is about.' });
  checkCommand(wanted.check, template, steps);
  const title = wanted.title.trim();
  const slug = options.slug ?? deriveSlug(title);
  const text = await renderTemplate(template, {
    title,
    slug,
    steps,
    check: wanted.check ?? template.check ?? '',
  });
  const findings = await checkResult(text, steps);
  return { title, slug, kind: template.kind, text, findings };
}

async function faultOf(call: NewCall, wanted: Wanted): Promise<string | null> {
  try {
    await compose(call, wanted);
    return null;
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'USAGE') throw error;
    return `${error.message}\nPlease answer again; Enter keeps the last answer.`;
  }
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
function faultOfTitle(title: string): string | null {
  return title.trim() === '' ? 'the title is empty' : unseen('the title', title, 'prose');
}

/** Refuses labels that would make no steps, or steps that cannot be told apart. Throws USAGE. */
function checkSteps(labels: readonly string[]): void {
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
  const { lintSource } = await import('../../../lint/lint-source.ts');
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
  return found === undefined ? null : `${what} holds the character ${found.codePoint}, which nobody sees`;
}

function refusal(message: string, hint: string): KairosError {
  return new KairosError('USAGE', message, { hint });
}
