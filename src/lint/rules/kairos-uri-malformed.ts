import { parseMemUri } from '../../protocol/identity.ts';
import type { LintRule } from '../rule.ts';

export const kairosUriMalformed: LintRule = {
  id: 'kairos-uri-malformed',
  family: 'reference',
  severity: 'warning',
  summary: 'A `kairos://` address has the form of one.',
  why: 'An agent that gets an address calls exactly that one. With one digit too few, the store reports that it does not exist.',
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
