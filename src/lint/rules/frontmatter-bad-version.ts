import { isVersion } from '../../protocol/terms.ts';
import { problemRule } from '../rule.ts';

export const frontmatterBadVersion = problemRule('frontmatter-bad-version', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'A version is a semantic version: three numbers, and nothing before them.',
  why: "People and programs compare versions to see which revision was run. `1.10` without quotes is the number 1.1 to YAML, and `v1.2.0` isn't a semantic version.",
  fixable: 'unsafe',
  fix({ place }, { source }) {
    const range: [number, number] = [place.start.offset, place.end.offset];
    // As written: the number 1.10 is 1.1 by now.
    const written = source.slice(...range).replace(/^["']|["']$/g, '');
    const [, number = '', rest = ''] = /^[vV]?(\d+(?:\.\d+){0,2})(.*)$/.exec(written) ?? [];
    const missing = 3 - number.split('.').length;
    const version = `${number}${'.0'.repeat(missing)}${rest}`;
    return isVersion(version) ? { range, replacement: version, safe: false } : undefined;
  },
});
