import type { ProblemCode } from '../model.ts';
import { code } from './document.ts';
import type { Wordings } from './words.ts';

type LegacyCode = Extract<ProblemCode, `legacy-${string}`>;

/** Words for older spellings, which are understood and should be rewritten. */
export const LEGACY_WORDS: Wordings<LegacyCode> = {
  'legacy-challenge-key': {
    reason: 'The key `challenge` is the older name of `proof_of_work`.',
    hint: 'Rename it.',
  },
  'legacy-proof-line': ({ type, ignored, doubtful }) => ({
    reason: [
      `This proof line is the older spelling of a step block${type === undefined ? '' : ` of type ${code(String(type))}`}.`,
      ignored === undefined
        ? ''
        : `What follows the command is text and no part of it: ${JSON.stringify(ignored)}.`,
      doubtful ? 'All of it is taken for a shell command, though it reads like a sentence.' : '',
    ]
      .filter(Boolean)
      .join(' '),
    hint: doubtful
      ? 'Write a step block; for a sentence, one that asks for a comment.'
      : 'Write a step block instead: a json fence at the end of the step.',
  }),
  'legacy-missing-type': ({ type }) => ({
    reason: `The proof has no ${code('type')}; it is taken for ${code(String(type))} by the object that it holds.`,
    hint: `Add "type": "${type}".`,
  }),
  'legacy-interpreter-flags': ({ key }) => ({
    reason: `The key ${code(String(key))} of older protocols says nothing here: the command is handed to its interpreter anyway.`,
    hint: 'Remove it.',
  }),
  'legacy-flat-shell': ({ key }) => ({
    reason: `${code(String(key))} stands right in the proof, which is the older spelling of a shell proof.`,
    hint: 'Put it into an object: "type": "shell", "shell": {"cmd": "…"}.',
  }),
};
