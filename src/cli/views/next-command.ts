import { type CommandLine, plainCommand, shellQuote } from '../../base/command-line.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import { solutionTemplate, TEXT_BLANK } from './solution-template.ts';

/** A command line, and its purpose. */
export interface NextCommand {
  purpose: string;
  line: string;
}

/** `call`, `retry` and `wait` name the only thing to do; other wordings offer a choice. */
const ACTION =
  /(?<straight>^(?:call|retry|wait until the permit is valid, then call) )?kairos_(?<tool>begin|next|attest|update|propose) with (?<uri>kairos:\/\/mem\/[0-9a-f-]{36})/;

/**
 * `next_action` as lines that can be typed.
 */
export function nextCommands(answer: WalkFields, commandLine: CommandLine = plainCommand): NextCommand[] {
  const action = ACTION.exec(answer.next_action ?? '')?.groups as Action | undefined;
  if (action === undefined) return [];
  if (answer.candidates !== undefined) return answer.candidates.map(candidate);
  const onRun = answer.run_id == null ? [] : ['--run', answer.run_id];
  const line = (words: string[], solution: string[] = []) => commandLine([...words, ...onRun], solution);
  const { straight, tool, uri } = action;
  if (tool === 'propose' && answer.run_id != null) return proposing(answer, answer.run_id, commandLine);
  if (straight === undefined) {
    const pending = answer.current_step?.uri ?? uri;
    const again =
      answer.next_action?.includes('kairos resume ') && answer.run_id != null
        ? { purpose: 'For a human, to continue:', line: commandLine(['resume', answer.run_id]) }
        : { purpose: 'To try again:', line: line(['next', pending], solutionWords(answer)) };
    return [again, { purpose: 'To give up:', line: line(['attest', uri, 'failure', TEXT_BLANK.reason]) }];
  }
  if (tool === 'begin') return [{ purpose: 'To begin:', line: line(['begin', uri]) }];
  if (tool === 'attest')
    return [{ purpose: 'Then:', line: line(['attest', uri, 'success', TEXT_BLANK.account]) }];
  return [{ purpose: 'Then:', line: line(['next', uri], solutionWords(answer)) }];
}

/**
 * A proposal is a document: made from the draft, completed and submitted. A proposal on hold waits for
 * another person.
 */
function proposing(
  { error_code, next_action }: WalkFields,
  run: string,
  commandLine: CommandLine,
): NextCommand[] {
  const line = (...words: string[]) => commandLine(['proposal', ...words]);
  if (error_code === 'PROPOSAL_ON_HOLD' || next_action?.startsWith('ask the user') === true)
    return [
      { purpose: 'For another person, to approve:', line: line('approve', run) },
      { purpose: 'Then:', line: line('submit', run) },
    ];
  return [
    { purpose: 'For a draft to complete:', line: `${line('new', run)} > ${DRAFT_FILE}` },
    { purpose: 'Then:', line: line('submit', run, DRAFT_FILE) },
  ];
}

const DRAFT_FILE = 'proposal.json';

interface Action {
  straight: string | undefined;
  tool: string;
  uri: string;
}

function candidate(run: string): NextCommand {
  return { purpose: 'To select this run, add:', line: `--run ${shellQuote(run)}` };
}

function solutionWords({ challenge }: WalkFields): string[] {
  const template = challenge == null ? null : solutionTemplate(challenge);
  return template === null ? [] : ['--solution', template];
}
