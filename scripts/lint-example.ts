import { type Analysis, analyse } from '../src/lint/analyse.ts';
import { applyEdits } from '../src/lint/fix.ts';
import { compareDocuments, settle } from '../src/lint/lint-source.ts';
import type { LintMessage } from '../src/lint/message.ts';
import type { LintRule } from '../src/lint/rule.ts';
import type { RuleExample } from '../src/lint/rules/examples/build.ts';

/** What an example is called, for rules that compare documents. */
export const EXAMPLE_PATH = 'example.md';

const MAX_ROUNDS = 10;

/** The messages of one rule on its example, or on another text in the example's place. */
export async function lintExample(
  rule: LintRule,
  example: RuleExample,
  source = example.source,
): Promise<LintMessage[]> {
  const exists = (path: string) => (example.files ?? []).includes(path.replace(/^\.\//, ''));
  const texts = [{ path: EXAMPLE_PATH, source }, ...(example.others ?? [])];
  const documents: Analysis[] = [];
  for (const { path, source: text } of texts) {
    documents.push(
      await analyse(text, { path, rules: [rule], severities: new Map(), inlineConfig: true, exists }),
    );
  }
  compareDocuments(documents, [rule]);
  return settle(documents[0]!, [rule]).messages;
}

/** The example's text after all fixes, as `--fix --unsafe-fixes` makes it. Throws when there is no end to them. */
export async function fixExample(rule: LintRule, example: RuleExample): Promise<string> {
  let { source } = example;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const messages = await lintExample(rule, example, source);
    const { text, count } = applyEdits(
      source,
      messages.flatMap(({ fix }) => (fix === undefined ? [] : [fix])),
    );
    if (count === 0) return source;
    source = text;
  }
  throw new Error(`the fixes of ${rule.id} never end`);
}
