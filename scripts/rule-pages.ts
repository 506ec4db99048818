import { escapeForTerminal } from '../src/base/escape.ts';
import type { LintMessage } from '../src/lint/message.ts';
import type { Family, LintRule } from '../src/lint/rule.ts';
import type { RuleExample } from '../src/lint/rules/examples/build.ts';
import { examplesOfRule } from '../src/lint/rules/examples/index.ts';
import { LINT_RULES } from '../src/lint/rules/index.ts';
import { fixExample, lintExample } from './lint-example.ts';

/** The pages of all rules and their index, by file name. Made from the rules alone; never edited by hand. */
export async function rulePages(): Promise<Map<string, string>> {
  const pages = new Map([['README.md', index()]]);
  for (const rule of LINT_RULES) pages.set(`${rule.id}.md`, await page(rule));
  return pages;
}

const FAMILIES: Record<Family, string> = {
  document: 'The document',
  block: 'Step blocks',
  proof: 'What a proof is worth',
  shell: 'Commands',
  safety: 'Safety',
  frontmatter: 'Frontmatter',
  reference: 'References',
  proposal: 'Proposals',
};

const FIXES = { safe: '`--fix`', unsafe: '`--fix --unsafe-fixes`', none: 'by hand' } as const;

function index(): string {
  const sections = Object.entries(FAMILIES).flatMap(([family, title]) => {
    const rules = LINT_RULES.filter((rule) => rule.family === family);
    if (rules.length === 0) return [];
    const rows = rules.map(
      ({ id, severity, fixable, summary }) =>
        `| [\`${id}\`](${id}.md) | ${severity} | ${FIXES[fixable ?? 'none']} | ${summary.replaceAll('|', '\\|')} |`,
    );
    return [`## ${title}`, '', '| rule | severity | fix | |', '|---|---|---|---|', ...rows, ''];
  });
  const intro =
    'Every rule of `kairos lint`. Severities are the defaults; `kairos lint --explain RULE` shows a page in the terminal.';
  return ['# Rules', '', intro, '', ...sections].join('\n');
}

async function page(rule: LintRule): Promise<string> {
  const { id, family, severity, summary, why, fixable, alwaysOn } = rule;
  const lines = [
    `# ${id}`,
    '',
    summary,
    '',
    `| family | severity | fix |`,
    '|---|---|---|',
    `| ${FAMILIES[family]} | ${severity} | ${FIXES[fixable ?? 'none']} |`,
    '',
    why,
    '',
  ];
  if (alwaysOn) lines.push('Where a protocol is minted, no directive in the text turns this off.', '');
  for (const example of examplesOfRule(id)) lines.push(...(await exampleSection(rule, example)));
  return lines.join('\n');
}

async function exampleSection(rule: LintRule, example: RuleExample): Promise<string[]> {
  const { title, source, others = [], files = [] } = example;
  const messages = await lintExample(rule, example);
  const fixed = await fixExample(rule, example);
  const lines = [`## ${title}`, '', ...block(source), ''];
  for (const other of others) lines.push(`Next to it, \`${other.path}\`:`, '', ...block(other.source), '');
  if (files.length > 0) lines.push(`There is ${files.map((file) => `\`${file}\``).join(', ')}.`, '');
  lines.push(...verdict(messages), '');
  if (fixed !== source) lines.push('Fixed:', '', ...block(fixed), '');
  return lines;
}

function verdict(messages: readonly LintMessage[]): string[] {
  if (messages.length === 0) return ['No finding.'];
  return messages.map(({ place: { start }, reason, note }) => {
    const text = note === undefined ? reason : `${reason} ${note}`;
    return `* ${start.line}:${start.column} ${literal(text)}`;
  });
}

/** What cannot be seen is written as an escape; a fence is longer than any in the text. */
function block(source: string): string[] {
  const text = shortened(
    escapeForTerminal(source, { keepNewlines: true, keepTabs: true }).replace(/\n$/, ''),
  );
  const longest = Math.max(2, ...[...text.matchAll(/`+|~+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}markdown`, text, fence];
}

const LONGEST_LINE = 1000;

/** Examples of what is too long are not shown in full. */
function shortened(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, 60)}… (${line.length} characters)` : line))
    .join('\n');
}

/** Words that stay words in markdown. */
function literal(text: string): string {
  return escapeForTerminal(text).replace(/[\\`*_[\]<>#|~&]/g, '\\$&');
}
