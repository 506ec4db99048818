import type { WalkFields } from '../../run/walk-fields.ts';
import { shellQuote } from './shell-quote.ts';
import { solutionTemplate, TEXT_BLANK } from './solution-template.ts';

/** A line to type, and what for. */
export interface NextCommand {
  purpose: string;
  line: string;
}

/** `call` and `retry` name the one thing to do; other wordings leave a choice. */
const ACTION =
  /(?<straight>^(?:call|retry) )?kairos_(?<tool>begin|next|attest|update) with (?<uri>kairos:\/\/mem\/[0-9a-f-]{36})/;

/**
 * `next_action` as lines that can be typed. `carried` are options of this call that the next one needs too, `--store`
 * say.
 */
export function nextCommands(answer: WalkFields, carried: readonly string[] = []): NextCommand[] {
  const action = ACTION.exec(answer.next_action ?? '')?.groups as Action | undefined;
  if (action === undefined) return [];
  if (answer.candidates !== undefined) return answer.candidates.map(candidate);
  const onRun = answer.run_id == null ? [] : ['--run', answer.run_id];
  const line = (words: string[], solution: string[] = []) =>
    ['kairos', ...words, ...onRun, ...carried, ...solution].map(shellQuote).join(' ');
  const { straight, tool, uri } = action;
  if (straight === undefined) {
    const pending = answer.current_step?.uri ?? uri;
    return [
      { purpose: 'To try once more:', line: line(['next', pending], solutionWords(answer)) },
      { purpose: 'To give up:', line: line(['attest', uri, 'failure', TEXT_BLANK.reason]) },
    ];
  }
  if (tool === 'begin') return [{ purpose: 'To begin:', line: line(['begin', uri]) }];
  if (tool === 'attest')
    return [{ purpose: 'Then:', line: line(['attest', uri, 'success', TEXT_BLANK.account]) }];
  return [{ purpose: 'Then:', line: line(['next', uri], solutionWords(answer)) }];
}

interface Action {
  straight: string | undefined;
  tool: string;
  uri: string;
}

function candidate(run: string): NextCommand {
  return { purpose: 'To mean this run, add:', line: `--run ${shellQuote(run)}` };
}

function solutionWords({ challenge }: WalkFields): string[] {
  const template = challenge == null ? null : solutionTemplate(challenge);
  return template === null ? [] : ['--solution', template];
}
