import { type CommandLine, plainCommand, programName, shellQuote } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import type { Challenge, RunFields } from '../../run/walk-fields.ts';
import { terminalJson } from '../output.ts';

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
export function nextCommands(answer: RunFields, commandLine: CommandLine = plainCommand): NextCommand[] {
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
      answer.next_action?.includes(`${programName()} resume `) && answer.run_id != null
        ? { purpose: 'For a human, to continue:', line: commandLine(['resume', answer.run_id]) }
        : { purpose: 'To try again:', line: line(['next', pending], solutionWords(answer)) };
    return [again, { purpose: 'To give up:', line: line(['attest', uri, 'failure', TEXT_BLANK.reason]) }];
  }
  if (tool === 'begin') return [{ purpose: 'To begin:', line: line(['begin', uri, ...inputWords(answer)]) }];
  if (tool === 'attest')
    return [{ purpose: 'Then:', line: line(['attest', uri, 'success', TEXT_BLANK.account]) }];
  return [{ purpose: 'Then:', line: line(['next', uri], solutionWords(answer)) }];
}

/**
 * A proposal is a document: made from the draft, completed and submitted. A proposal on hold waits for
 * another person.
 */
function proposing(
  { error_code, next_action }: RunFields,
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

/** A flag for each input that has no default. */
function inputWords({ input_schema: schema }: RunFields): string[] {
  const names = (schema?.required as string[] | undefined) ?? [];
  return names.flatMap((name) => ['--input', `${name}=<VALUE>`]);
}

interface Action {
  straight: string | undefined;
  tool: string;
  uri: string;
}

function candidate(run: string): NextCommand {
  return { purpose: 'To select this run, add:', line: `--run ${shellQuote(run)}` };
}

function solutionWords({ challenge }: RunFields): string[] {
  const template = challenge == null ? null : solutionTemplate(challenge);
  return template === null ? [] : ['--solution', template];
}

/**
 * A blank for a person to replace. It has no quotes, so that the text isn't valid JSON until it is replaced.
 */
const BLANKS = { exitCode: '<EXIT CODE>', result: '<RESULT>', success: '<true OR false>' } as const;

/** A blank for a text, inside quotes: rejected until it is replaced. */
const TEXT_BLANK = { answer: '<ANSWER>', account: '<ACCOUNT>', reason: '<REASON>' } as const;

/**
 * The solution of a challenge as JSON text, with blanks for what only the user knows. Null: it can't be
 * typed.
 */
function solutionTemplate(challenge: Challenge): string | null {
  const payload = payloadOf(challenge);
  if (payload === null) return null;
  const { type, nonce, proof_hash } = challenge;
  return `{"type":"${type}","nonce":"${nonce}","proof_hash":"${proof_hash}","${type}":${payload}}`;
}

function payloadOf(challenge: Challenge): string | null {
  switch (challenge.type) {
    case 'shell': {
      const output = challenge.shell?.stdout_matches === undefined ? '' : `,"stdout":${BLANKS.result}`;
      return `{"exit_code":${BLANKS.exitCode}${output}}`;
    }
    case 'mcp': {
      const { tool_name, arguments: args } = challenge.mcp ?? { tool_name: '' };
      const given = args === undefined ? '' : `"arguments":${terminalJson(args)},`;
      const { result, success } = BLANKS;
      return `{"tool_name":${terminalJson(tool_name)},${given}"result":${result},"success":${success}}`;
    }
    case 'user_input':
      return `{"confirmation":"${TEXT_BLANK.answer}"}`;
    case 'comment':
      return `{"text":"${TEXT_BLANK.account}"}`;
    case 'sampling':
      return `{"result":${BLANKS.result}}`;
    case 'proposal':
      return null;
  }
}

/** Rejects a text that is still the printed blank, so that an unread line proves nothing. */
export function refuseBlank(text: unknown): void {
  if (typeof text !== 'string' || !Object.values<string>(TEXT_BLANK).includes(text.trim())) return;
  throw new KairosError('INVALID_INPUT', `${text} is a blank that must be filled in`, {
    hint: 'Replace it with the real answer or result.',
  });
}
