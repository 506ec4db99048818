import { isVersion } from '../../protocol/terms.ts';
import { problemRule } from '../problem-rule.ts';
import { chain, step } from './support/example.ts';

/** Invalid versions. */
export const frontmatterBadVersion = problemRule('frontmatter-bad-version', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'A version is a semantic version: three numbers, and nothing before them.',
  why: 'People and programs compare versions to see which revision was run. `1.10` without quotes is the number 1.1 to YAML, and `v1.2.0` is not a version for anything that follows semver.org.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A number with one dot',
      source: `---\nversion: 1.2\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: [{ line: 2, column: 10 }],
      fixed: `---\nversion: 1.2.0\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'A letter before it',
      source: `---\nversion: "v1.2.3"\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: [{ line: 2, column: 10 }],
      fixed: `---\nversion: 1.2.3\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'No version at all',
      source: `---\nversion: next\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: [{ line: 2, column: 10 }],
    },
    {
      title: 'A semantic version',
      source: `---\nversion: 1.2.3-rc.1\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: [],
    },
  ],
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
