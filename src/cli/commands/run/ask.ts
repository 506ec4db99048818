import { type Outcome, STOP_ACTIONS, type StopAction } from '../../terminal/prompter.ts';
import type { Question } from '../../terminal/question.ts';
import { type RunSession, STOPS, type Stop } from './session.ts';

/** An answer, or why the walk stops. */
export type Asked<T> =
  | { kind: 'answer'; value: T; assurance: 'client' | 'claimed' }
  | Stop
  | { kind: 'interrupted' };

/** Puts a question to whoever answers, by the method that its kind has. */
export async function ask(session: RunSession, question: Question): Promise<Asked<string | boolean>> {
  const { prompter } = session;
  switch (question.kind) {
    case 'confirm':
      return settle(await prompter.confirm(question));
    case 'text':
      return settle(await prompter.text(question));
    case 'choice':
      return settle(await prompter.choice(question));
    case 'editor':
      return settle(await prompter.editor(question));
    case 'phrase':
      return settle(await prompter.phrase(question));
    case 'action':
      return settle(await prompter.action(question));
  }
}

function settle<T>(outcome: Outcome<T>): Asked<T> {
  switch (outcome.kind) {
    case 'answer':
      return outcome;
    case 'interrupt':
      return outcome.exitCode === null ? { kind: 'interrupted' } : STOPS.signal(outcome.exitCode);
    default:
      return STOPS.inputNeeded();
  }
}

/** The menu of a stop. Where nobody can choose, the answer is `null`: the caller ends the walk. */
export async function menu(
  session: RunSession,
  step: { index: number; label: string },
  message: string,
  actions: readonly StopAction[],
): Promise<StopAction | Stop | null> {
  if (!session.prompter.interactive) return null;
  const answer = await ask(session, {
    kind: 'action',
    name: 'action',
    step,
    message,
    options: actions.map((action) => STOP_ACTIONS[action]),
  });
  if (answer.kind === 'stop') return answer;
  // Ctrl-C at the menu itself: the second one in a row ends the program, this one leaves the menu by its safe exit.
  return answer.kind === 'interrupted' ? 'abort' : (answer.value as StopAction);
}
