import { readdirSync, readFileSync } from 'node:fs';
import { tests as commonmarkExamples } from 'commonmark-spec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Fixed, fixText } from '../../src/lint/fix.ts';
import { lintSource } from '../../src/lint/lint-source.ts';
import { compareMessages, type LintMessage } from '../../src/lint/message.ts';
import { RULE_EXAMPLES } from '../../src/lint/rules/examples/index.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { lineIndex, pointAt } from '../../src/protocol/position.ts';
import { corpusFiles } from '../protocol/corpus.ts';
import { oddDocument, oddProtocol } from '../protocol/documents.ts';
import { runs } from '../support/thorough.ts';

/** What must hold of every rule on every document, whoever wrote either of them. */

const lint = async (source: string) => (await lintSource(source, { path: 'a.md' })).messages;
/** By text: every test asks for the messages of the same few texts again and again. */
const known = new Map<string, Promise<LintMessage[]>>();

function messagesOf(source: string): Promise<LintMessage[]> {
  const messages = known.get(source) ?? lint(source);
  known.set(source, messages);
  return messages;
}

const shippedFolder = new URL('../../protocols/', import.meta.url);
const SHIPPED = readdirSync(shippedFolder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, source: readFileSync(new URL(name, shippedFolder), 'utf8') }));
const REAL = [...SHIPPED, ...corpusFiles('protocols'), ...corpusFiles('runbooks')].map(
  ({ name, source }) => [name, source] as const,
);
const EXAMPLES = Object.entries(RULE_EXAMPLES).flatMap(([id, examples]) =>
  examples.map(({ title, source }) => [`${id}: ${title}`, source] as const),
);

describe('messages', () => {
  it.each([...REAL, ...EXAMPLES])('on %s point into the text', async (_, source) => {
    await expectSoundMessages(source);
  });

  it('on the examples of CommonMark point into the text', async () => {
    for (const { markdown } of commonmarkExamples) await expectSoundMessages(markdown.replaceAll('→', '\t'));
  });

  it('on odd documents point into the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(oddDocument, oddProtocol), (source) => expectSoundMessages(source)),
      { numRuns: runs(150) },
    );
  });
});

describe('safe fixes', () => {
  it.each([...REAL, ...EXAMPLES])('of %s come to an end and change no meaning', async (_, source) => {
    await expectSoundFixes(source);
  });

  it('of odd documents come to an end and change no meaning', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(oddDocument, oddProtocol), (source) => expectSoundFixes(source)),
      { numRuns: runs(100) },
    );
  });
});

describe('unsafe fixes', () => {
  it.each([...REAL, ...EXAMPLES])('of %s come to an end and leave no more errors', async (_, source) => {
    await expectEnd(source, await fixText(source, messagesOf, { unsafe: true }), true);
  });

  it('of odd documents come to an end and leave no more errors', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(oddDocument, oddProtocol), async (source) => {
        await expectEnd(source, await fixText(source, messagesOf, { unsafe: true }), true);
      }),
      { numRuns: runs(60), examples: [['# Title\n\nExample: ```json\n\n## Step 0\n\n']] },
    );
  });
});

async function expectSoundMessages(source: string): Promise<void> {
  const messages = await messagesOf(source);
  const lines = lineIndex(source);
  for (const { place, ruleId, fix, reason } of messages) {
    expect(place.start, ruleId).toEqual(pointAt(lines, place.start.offset));
    expect(place.end, ruleId).toEqual(pointAt(lines, place.end.offset));
    expect(place.start.offset, ruleId).toBeLessThanOrEqual(place.end.offset);
    expect(place.end.offset, ruleId).toBeLessThanOrEqual(source.length);
    expect(reason, ruleId).toMatch(/\S/);
    if (fix !== undefined) expect(() => applyEdits(source, [fix]), ruleId).not.toThrow();
  }
  expect(messages).toEqual([...messages].sort(compareMessages));
  expect(await lint(source)).toEqual(messages);
}

async function expectSoundFixes(source: string): Promise<void> {
  const fixed = await fixText(source, messagesOf, { unsafe: false });
  await expectEnd(source, fixed, false);
  const before = await meaning(source);
  const after = await meaning(fixed.text);
  expect(after.map(({ label }) => label)).toEqual(before.map(({ label }) => label));
  // A block that could not be read before may have become one that can; what was demanded is demanded still.
  for (const [at, { demand }] of before.entries()) {
    if (demand !== null) expect(after[at]?.demand).toEqual(demand);
  }
}

async function expectEnd(source: string, fixed: Fixed, unsafe: boolean): Promise<void> {
  expect(fixed.gaveUp).toBeNull();
  expect(await fixText(fixed.text, messagesOf, { unsafe })).toMatchObject({
    text: fixed.text,
    count: 0,
    gaveUp: null,
  });
  expect(errors(await messagesOf(fixed.text))).toBeLessThanOrEqual(errors(await messagesOf(source)));
}

function errors(messages: readonly LintMessage[]): number {
  return messages.filter(({ severity }) => severity === 'error').length;
}

async function meaning(source: string) {
  const { document } = await parseProtocol(source);
  return document.chains.flatMap(({ title, steps }) =>
    steps.map(({ label, block }) => ({ label: `${title} / ${label}`, demand: block?.value ?? null })),
  );
}
