import { expect, test } from 'vitest';
import { type ChallengeType, describeChallenge, whatLacks } from '../../src/proof/demand.ts';
import { RUN_ERROR_CODES } from '../../src/run/walk-fields.ts';

test('each description contains what SPEC 2 requires', () => {
  const wanted: Record<ChallengeType, RegExp> = {
    shell: /Run the command .* report what it really gave/,
    mcp: /Call the tool .* report what it really returned/,
    user_input: /Show the prompt, use only the user's reply/,
    comment: /genuine account/,
    sampling: /Answer the prompt/,
    proposal: /Hand in a proposal/,
  };
  for (const [type, words] of Object.entries(wanted)) {
    expect(describeChallenge(type as ChallengeType)).toMatch(words);
  }
});

test('whatLacks has words for every code', () => {
  for (const code of RUN_ERROR_CODES) {
    expect(whatLacks(code, { type: 'comment' })).toMatch(/^[a-z].{10,}/);
  }
  expect(whatLacks('COMMENT_TOO_SHORT', { type: 'comment' })).toBe(
    'a longer text, of at least the min_length of the closing comment',
  );
});
