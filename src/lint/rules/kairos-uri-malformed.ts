import { parseMemUri } from '../../protocol/identity.ts';
import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';

/** Addresses of protocols that can belong to none. */
export const kairosUriMalformed: LintRule = {
  id: 'kairos-uri-malformed',
  family: 'reference',
  severity: 'warning',
  summary: 'A `kairos://` address has the form of one.',
  why: 'An agent that gets an address calls exactly that one. With one digit too few, the store reports that it does not exist.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A group too few',
        source: chain('Restart', step('Continue', 'Then follow kairos://mem/9d12288b-c054-5490-8984.')),
        findings: [
          {
            line: 5,
            column: 13,
            reason:
              'kairos://mem/9d12288b-c054-5490-8984 is not an address of a protocol. Write kairos://mem/ and a UUID, as kairos search shows it.',
          },
        ],
      },
      {
        title: 'A whole address, and the form in general',
        source: chain(
          'Restart',
          step(
            'Continue',
            'Follow kairos://mem/9d12288b-c054-5490-8984-d78ab2d45a5e. Each is `kairos://mem/<uuid>`.',
          ),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    const { source } = context;
    for (let at = source.indexOf('kairos://'); at !== -1; at = source.indexOf('kairos://', at + 1)) {
      const uri = /^kairos:\/\/[\w/-]*/.exec(source.slice(at, at + 200))![0];
      const isOpenEnded =
        /[<{$…*]/.test(source[at + uri.length] ?? '') || uri === 'kairos://' || uri === 'kairos://mem/';
      if (isOpenEnded || !uri.startsWith('kairos://mem/') || parseMemUri(uri) !== null) continue;
      context.report({
        place: context.place(at, at + uri.length),
        reason: `${uri} is not an address of a protocol. Write kairos://mem/ and a UUID, as kairos search shows it.`,
      });
    }
  },
};
