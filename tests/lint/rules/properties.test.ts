import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, fixText } from '../../../src/lint/fix.ts';
import { lintSource } from '../../../src/lint/lint-source.ts';
import type { LintMessage } from '../../../src/lint/message.ts';
import type { LintRule } from '../../../src/lint/rule.ts';
import { LINT_RULES } from '../../../src/lint/rules/index.ts';
import { toContent } from '../../../src/protocol/identity.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';
import { runs } from '../../support/thorough.ts';
import { protocol } from './documents.ts';

const RUNS = { numRuns: runs(150) };
const CORPUS = fileURLToPath(new URL('../../../../shared/corpus/', import.meta.url));
/** Directives are comments: taking one out changes a body's text, though nothing that a step demands. */
const WITHOUT_DIRECTIVES = LINT_RULES.filter(({ id }) => !id.startsWith('directive-'));

const lintBy = async (source: string, rules: readonly LintRule[]): Promise<LintMessage[]> =>
  (await lintSource(source, { path: 'example.md', settings: { rules }, exists: () => false })).messages;
/** By text: fixes ask for the messages of a text again and again. */
const known = new Map<string, Promise<LintMessage[]>>();

function lint(source: string, rules: readonly LintRule[] = LINT_RULES): Promise<LintMessage[]> {
  if (rules !== LINT_RULES) return lintBy(source, rules);
  const messages = known.get(source) ?? lintBy(source, rules);
  known.set(source, messages);
  return messages;
}
const errorsIn = (messages: readonly LintMessage[]) =>
  messages.filter(({ severity }) => severity === 'error').length;
const contentOf = async (source: string) => (await parseProtocol(source)).document.chains.map(toContent);
const safeFixes = (source: string) =>
  fixText(source, (text) => lint(text, WITHOUT_DIRECTIVES), { unsafe: false });
const allFixes = (source: string) => fixText(source, lint, { unsafe: true });

describe('on generated protocols', () => {
  it('rules never throw, and point into the document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(protocol, fc.string({ unit: 'binary', maxLength: 200 })), async (source) => {
        for (const { place, fix, reason } of await lint(source)) {
          const [start, end] = [place.start.offset, place.end.offset];
          expect(start).toBeLessThanOrEqual(end);
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(source.length);
          expect(reason).toMatch(/\S[.?!)”`]$/u);
          if (fix === undefined) continue;
          expect(fix.range[0]).toBeLessThanOrEqual(fix.range[1]);
          expect(fix.range[1]).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('safe fixes keep the meaning of a protocol', async () => {
    await fc.assert(
      fc.asyncProperty(protocol, async (source) => {
        const { text } = await safeFixes(source);
        expect(await contentOf(text)).toEqual(await contentOf(source));
      }),
      RUNS,
    );
  });

  it('fixes come to an end, and leave nothing to fix', async () => {
    await fc.assert(
      fc.asyncProperty(protocol, async (source) => {
        const once = await allFixes(source);
        if (once.gaveUp !== null) return;
        expect(await allFixes(once.text)).toMatchObject({ text: once.text, count: 0, gaveUp: null });
      }),
      RUNS,
    );
  });
});

/** What these mend was hidden from the other rules before: a round that brings out more than it mends is taken back. */
const BRINGS_OUT = new Set([
  ...['block-not-last', 'block-pseudo-fence', 'block-unfenced', 'block-unknown-key', 'block-unreadable'],
  ...['block-wrong-language', 'fence-inline'],
]);

describe.each(
  LINT_RULES.filter(({ fixable }) => fixable !== undefined).map((rule) => [rule.id, rule] as const),
)('the fixes of %s', (id, rule) => {
  it('leaves no more errors than there were', async () => {
    await fc.assert(
      fc.asyncProperty(protocol, async (source) => {
        const edits = (await lint(source, [rule])).flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
        if (edits.length === 0) return;
        const text = BRINGS_OUT.has(id)
          ? (await fixText(source, lint, { unsafe: true })).text
          : applyEdits(source, edits).text;
        expect(errorsIn(await lint(text))).toBeLessThanOrEqual(errorsIn(await lint(source)));
      }),
      { numRuns: runs(60) },
    );
  });
});

describe.skipIf(!existsSync(CORPUS))('on real documents', () => {
  const files = existsSync(CORPUS)
    ? ['runbooks', 'protocols'].flatMap((folder) =>
        readdirSync(CORPUS + folder).map((name) => `${folder}/${name}`),
      )
    : [];

  it.each(files)('%s is linted and fixed without a change of its meaning', async (file) => {
    const source = readFileSync(CORPUS + file, 'utf8');
    const fixed = await safeFixes(source);
    expect(fixed.gaveUp).toBeNull();
    expect(await contentOf(fixed.text)).toEqual(await contentOf(source));
    const all = await allFixes(source);
    expect(errorsIn(await lint(all.text))).toBeLessThanOrEqual(errorsIn(await lint(source)));
  });
});
