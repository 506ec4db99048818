import { KairosError } from '../../base/errors.ts';
import type { Challenge } from '../../run/walk-fields.ts';
import { terminalJson } from '../terminal-text.ts';

/** What a person has to put in the place of, without quotes: as it stands it is no JSON, so it cannot pass unread. */
const BLANKS = {
  exitCode: '<EXIT CODE>',
  result: '<RESULT>',
  success: '<true OR false>',
} as const;

/** The same for texts, which stand within quotes: they are refused as they stand. */
export const TEXT_BLANK = { answer: '<ANSWER>', account: '<ACCOUNT>', reason: '<REASON>' } as const;

/** The solution of a challenge as JSON text, with blanks for what only the walker knows. Null: none can be typed. */
export function solutionTemplate(challenge: Challenge): string | null {
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

/** Refuses a text that still is the blank that was printed for it: an unread line must prove nothing. */
export function refuseBlank(text: unknown): void {
  if (typeof text !== 'string' || !Object.values<string>(TEXT_BLANK).includes(text.trim())) return;
  throw new KairosError('INVALID_INPUT', `${text} is a blank that has to be filled in`, {
    hint: 'Put in its place what was really answered or done.',
  });
}
