import { KairosError } from '../../base/errors.ts';
import type { Challenge } from '../../run/walk-fields.ts';
import { terminalJson } from '../terminal-text.ts';

/**
 * A blank for a person to replace. It has no quotes, so that the text isn't valid JSON until it is replaced.
 */
const BLANKS = {
  exitCode: '<EXIT CODE>',
  result: '<RESULT>',
  success: '<true OR false>',
} as const;

/** A blank for a text, inside quotes: rejected until it is replaced. */
export const TEXT_BLANK = { answer: '<ANSWER>', account: '<ACCOUNT>', reason: '<REASON>' } as const;

/**
 * The solution of a challenge as JSON text, with blanks for what only the user knows. Null: it can't be
 * typed.
 */
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

/** Rejects a text that is still the printed blank, so that an unread line proves nothing. */
export function refuseBlank(text: unknown): void {
  if (typeof text !== 'string' || !Object.values<string>(TEXT_BLANK).includes(text.trim())) return;
  throw new KairosError('INVALID_INPUT', `${text} is a blank that must be filled in`, {
    hint: 'Replace it with the real answer or result.',
  });
}
