import { escapeForTerminal } from '../../../base/escape.ts';
import type { Wanted } from '../../../operations/new.ts';
import { TEMPLATES } from '../../../operations/templates/index.ts';
import type { Template } from '../../../operations/templates/template.ts';
import type { Call } from '../../command.ts';
import type { Prompter, PromptOutcome } from '../../terminal/prompter.ts';
import type { QuestionData } from '../../terminal/question.ts';
import { withPrompter } from '../../terminal/with-prompter.ts';
import type { NewOptions } from './options.ts';

/** What was asked for, or why there is nothing to write. */
export type NewAnswers =
  | { kind: 'wanted'; wanted: Wanted }
  | { kind: 'unanswered'; questions: readonly QuestionData[] }
  | { kind: 'interrupt'; exitCode: number };

/** 128 + SIGINT. */
const INTERRUPTED = 130;

/** What the answers must pass. */
export interface NewChecks {
  title(title: string): true | string;
  /** Why the protocol of these answers can't be written, for a person; null when it can. */
  protocol(wanted: Wanted): Promise<string | null>;
}

/**
 * Asks for what the options don't give: title and kind, and the command of a kind that has one. Answers that make no valid
 * protocol are asked for again, each with the last answer as its default.
 */
export async function askForNew(call: Call<unknown[], NewOptions>, checks: NewChecks): Promise<NewAnswers> {
  const { options, output } = call;
  try {
    return await withPrompter(call, { noInput: !options.input }, async (prompter) => {
      for (let before: Wanted | null = null; ; ) {
        const asked = await ask(prompter, options, checks, before);
        if (asked.kind !== 'wanted') return asked;
        const fault = await checks.protocol(asked.wanted);
        if (fault === null) return asked;
        output.note(escapeForTerminal(fault, { keepNewlines: true }));
        before = asked.wanted;
      }
    });
  } catch (stop) {
    if (stop instanceof Stop) return stop.asked;
    throw stop;
  }
}

async function ask(
  prompter: Prompter,
  options: NewOptions,
  checks: NewChecks,
  before: Wanted | null,
): Promise<NewAnswers> {
  const given = <T>(outcome: PromptOutcome<T>): T => {
    if (outcome.kind === 'answer') return outcome.value;
    if (outcome.kind === 'interrupt') {
      throw new Stop({ kind: 'interrupt', exitCode: outcome.exitCode ?? INTERRUPTED });
    }
    throw new Stop({ kind: 'unanswered', questions: prompter.unanswered });
  };
  const title = given(
    await prompter.text({
      name: 'title',
      message: 'What is the protocol called?',
      check: checks.title,
      ...(before === null ? {} : { default: before.title }),
    }),
  );
  const kind =
    options.kind ??
    given(
      await prompter.choice({
        name: 'kind',
        message: 'What kind of protocol is it?',
        options: TEMPLATES.map((template) => ({ value: template.kind, label: labelOf(template) })),
        default: before?.kind ?? TEMPLATES[0]!.kind,
      }),
    );
  const offered = TEMPLATES.find((template) => template.kind === kind)?.check ?? null;
  if (offered === null || options.check !== undefined || options.step !== undefined) {
    return { kind: 'wanted', wanted: { title, kind, check: options.check ?? null } };
  }
  const command = await prompter.text({
    name: 'check',
    message: 'Which command shows that the work is right?',
    default: before?.check ?? offered,
  });
  return { kind: 'wanted', wanted: { title, kind, check: given(command) } };
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
