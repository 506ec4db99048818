import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { sarif } from '../../../src/lint/reporters/json.ts';
import { LINT_RULES } from '../../../src/lint/rules/index.ts';
import { EMPTY, HOSTILE, optionsFor } from './hostile.ts';

const require = createRequire(import.meta.url);
/** Written for draft 04, of which it only uses what later drafts have in common with it. */
const {
  $schema: _draft,
  id: _id,
  ...schema
} = JSON.parse(
  readFileSync(require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8'),
);
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const isValid = ajv.compile(schema);

describe('sarif', () => {
  it.each([
    ['a hostile report', { ...optionsFor(HOSTILE), rules: LINT_RULES, withSuppressed: true }],
    ['an empty report', optionsFor(EMPTY)],
  ])('matches the schema of SARIF 2.1.0: %s', (_, options) => {
    isValid(JSON.parse(sarif(options)));
    expect(isValid.errors).toBeNull();
  });

  it('would be caught by that schema if it were wrong', () => {
    const log = JSON.parse(sarif(optionsFor(HOSTILE)));
    log.runs[0].results[1].locations[0].physicalLocation.region.startLine = 0;
    log.runs[0].results[2].level = 'fatal';
    isValid(log);
    expect(isValid.errors?.map(({ keyword }) => keyword)).toEqual(['minimum', 'enum']);
  });

  it('refers to its rules by index, numbers fingerprints, and marks accepted findings', () => {
    const [run] = JSON.parse(sarif({ ...optionsFor(HOSTILE), rules: LINT_RULES, withSuppressed: true })).runs;
    for (const { ruleId, ruleIndex } of run.results) {
      expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
    }
    const ofHostile = run.results.slice(1, 6);
    expect(ofHostile.map(({ partialFingerprints }: Record<string, unknown>) => partialFingerprints)).toEqual(
      [1, 2, 3, 4, 5].map((at) => ({ 'kairosLine/v1': `0123456789abcdef:${at}` })),
    );
    expect(ofHostile.map(({ suppressions }: Record<string, unknown>) => suppressions)).toEqual([
      [],
      [],
      [],
      [{ kind: 'inSource', justification: 'a drill' }],
      [{ kind: 'external' }],
    ]);
  });

  it('leaves out what is suppressed, unless asked for', () => {
    const { results } = JSON.parse(sarif(optionsFor(HOSTILE))).runs[0];
    expect(results).toHaveLength(5);
    expect(results.flatMap(({ suppressions }: { suppressions: unknown[] }) => suppressions)).toEqual([]);
  });

  it('names files by URIs', () => {
    const [run] = JSON.parse(sarif(optionsFor(HOSTILE))).runs;
    const uris = run.results.map(
      ({ locations }: { locations: { physicalLocation: { artifactLocation: unknown } }[] }) =>
        locations[0]!.physicalLocation.artifactLocation,
    );
    expect(uris[0]).toEqual({ uri: '%3Cstdin%3E', uriBaseId: 'SRCROOT' });
    expect(uris[1]).toEqual({
      uri: 'docs/a%2Cb%3Ac%1B%5B31m%20%22q%22%20%3C%26%3E%25%0A%3A%3Aerror%3A%3Ax.md',
      uriBaseId: 'SRCROOT',
    });
    expect(uris.at(-1)).toEqual({ uri: 'file:///abs/%C3%BCmlaut%20%231.md' });
  });
});
