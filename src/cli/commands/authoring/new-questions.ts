import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { faultOfName, variablesOf, type Wanted } from '../../../operations/new.ts';
import { TEMPLATES } from '../../../operations/templates/index.ts';
import type { Template } from '../../../operations/templates/template.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import type { Call } from '../../command.ts';
import { withPrompter } from '../../terminal/choose-prompter.ts';
import type { Prompter, PromptOutcome } from '../../terminal/prompter.ts';
import type { QuestionData } from '../../terminal/question.ts';

export interface NewOptions {
  title?: string;
  kind?: string;
  slug?: string;
  /** Labels of steps. */
  step?: string[];
  check?: string;
  /** A kind, a file, a stored protocol or a run. */
  from?: string;
  /** `NAME` or `NAME=DESCRIPTION`. */
  inputNames?: string[];
  capture?: string;
  force?: boolean;
  /** False: `--no-input`. */
  input?: boolean;
}

/** What was asked for, or why there is nothing to write. */
export type NewAnswers =
  | { kind: 'wanted'; wanted: Wanted }
  | { kind: 'unanswered'; questions: readonly QuestionData[] }
  | { kind: 'interrupt'; exitCode: number };

/** 128 + SIGINT. */
const INTERRUPTED = 130;

/** What the answers make: a fault for which nothing can be written, or findings. */
export interface NewAttempt {
  fault: string | null;
  findings: readonly string[];
}

/** What the options give, and what the answers must pass. */
export interface NewChecks {
  kind: string | undefined;
  /** The protocol to begin with. */
  from: ChainContent | null;
  values: Pick<Wanted, 'inputs' | 'capture'>;
  title(title: string): true | string;
  compose(wanted: Wanted): Promise<NewAttempt>;
}

/**
 * Asks for what the options don't give: title and kind, and the command of a kind that has one, with its inputs and a capture. Answers
 * that make no valid protocol are asked for again, each with the last answer as its default; findings are shown first, and the
 * person decides.
 */
export async function askForNew(call: Call<unknown[], NewOptions>, checks: NewChecks): Promise<NewAnswers> {
  const { options, output } = call;
  try {
    return await withPrompter(call, { noInput: options.input === false }, async (prompter) => {
      for (let before: Wanted | null = null; ; ) {
        const wanted = await ask(prompter, options, checks, before);
        const { fault, findings } = await checks.compose(wanted);
        const show = (text: string) => output.note(escapeForTerminal(text, { keepNewlines: true }));
        if (fault !== null) show(fault);
        else {
          if (findings.length === 0) return finished(prompter, wanted);
          for (const finding of findings) show(finding);
          const choice = await prompter.choice({
            name: 'findings',
            message: 'Write it with these findings?',
            options: [
              { value: 'write', label: 'write it' },
              { value: 'again', label: 'answer again; Enter keeps the last answer' },
            ],
            default: 'write',
          });
          if (givenOr(prompter, choice, 'write') === 'write') return finished(prompter, wanted);
        }
        before = wanted;
      }
    });
  } catch (stop) {
    if (stop instanceof Stop) return stop.asked;
    throw stop;
  }
}

function given<T>(prompter: Prompter, outcome: PromptOutcome<T>): T {
  if (outcome.kind === 'answer') return outcome.value;
  if (outcome.kind === 'interrupt') {
    throw new Stop({ kind: 'interrupt', exitCode: outcome.exitCode ?? INTERRUPTED });
  }
  throw new Stop({ kind: 'unanswered', questions: prompter.unanswered });
}

/** The same for a question after the last piped answer: it has the answer of Enter. */
function givenOr<T>(prompter: Prompter, outcome: PromptOutcome<T>, fallback: T): T {
  return outcome.kind === 'eof' && !prompter.interactive ? fallback : given(prompter, outcome);
}

function finished(prompter: Prompter, wanted: Wanted): NewAnswers {
  if (prompter.surplus() > 0) throw unused(prompter.surplus());
  return { kind: 'wanted', wanted };
}

async function ask(
  prompter: Prompter,
  options: NewOptions,
  checks: NewChecks,
  before: Wanted | null,
): Promise<Wanted> {
  const last = before?.title;
  const title = given(
    prompter,
    await prompter.text({
      name: 'title',
      // Two protocols with the old title would have one name.
      message:
        checks.from === null
          ? 'What is the protocol called?'
          : `What is the new protocol called? It begins as a copy of "${checks.from.title}".`,
      check: checks.title,
      ...(last === undefined ? {} : { default: last }),
    }),
  );
  if (checks.from !== null) return { title, kind: '', check: null, ...checks.values };
  const kind =
    checks.kind ??
    given(
      prompter,
      await prompter.choice({
        name: 'kind',
        message: 'What kind of protocol is it?',
        options: TEMPLATES.map((template) => ({ value: template.kind, label: labelOf(template) })),
        default: before?.kind ?? TEMPLATES[0]!.kind,
      }),
    );
  const offered = TEMPLATES.find((template) => template.kind === kind)?.check ?? null;
  if (offered === null || options.check !== undefined || options.step !== undefined) {
    return { title, kind, check: options.check ?? null, ...checks.values };
  }
  const command = await prompter.text({
    name: 'check',
    message: 'Which command shows that the work is right?',
    default: before?.check ?? offered,
  });
  const check = given(prompter, command);
  return { title, kind, check, ...(await askForValues(prompter, check, checks.values, before)) };
}

/** Offers each variable that the command reads as an input, and what it prints as a capture. */
async function askForValues(
  prompter: Prompter,
  check: string,
  { inputs: declared, capture: kept }: NewChecks['values'],
  before: Wanted | null,
): Promise<NewChecks['values']> {
  const inputs: Record<string, string> = { ...declared };
  for (const name of variablesOf(check)) {
    if (name in declared) continue;
    const usual = before?.inputs[name] ?? name.toLowerCase().replaceAll('_', ' ');
    const description = await prompter.text({
      name: `input.${name}`,
      message: `The command reads ${name}. What is it? (- leaves it undeclared)`,
      default: usual,
    });
    const text = givenOr(prompter, description, usual).trim();
    if (text !== '-') inputs[name] = text;
  }
  if (kept !== null) return { inputs, capture: kept };
  const capture = await prompter.text({
    name: 'capture',
    message: 'Do later steps need what it prints? Name it, for example TAG (- keeps nothing)',
    check: (name) => (name.trim() === '-' ? true : (faultOfName(name.trim()) ?? true)),
    default: before?.capture ?? '-',
  });
  const name = givenOr(prompter, capture, before?.capture ?? '-').trim();
  return { inputs, capture: name === '-' ? null : name };
}

function unused(count: number): KairosError {
  return new KairosError('USAGE', `piped answers without a question: ${count}`, {
    hint: 'Pipe the title, the kind and the command, a line for each variable that it reads, and the name of a capture or -, each on its own line.',
  });
}

function labelOf({ kind, summary }: Template): string {
  return `${kind}: ${summary}`;
}

/** Ends the questions from within one of them. */
class Stop extends Error {
  readonly asked: NewAnswers;

  constructor(asked: NewAnswers) {
    super('no answer');
    this.asked = asked;
  }
}
