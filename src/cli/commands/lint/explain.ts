import { dirname, resolve } from 'node:path';
import { ignoreRules } from '../../../lint/files/ignore-rules.ts';
import { findRule } from '../../../lint/find-rule.ts';
import { ruleUrl } from '../../../lint/rule.ts';
import { LINT_RULES } from '../../../lint/rules/index.ts';
import type { Output } from '../../output.ts';
import { finder } from './once.ts';
import type { LintOptions } from './settings.ts';

const FIX = {
  safe: 'can be mended with --fix',
  unsafe: 'can be mended with --fix --unsafe-fixes; look at the changes',
  false: 'has to be mended by hand',
} as const;

/** Says what a rule is about. Throws USAGE when there is no such rule. */
export function explainRule(id: string, output: Output): void {
  const rule = findRule(id);
  const { family, severity, summary, why, fixable, examples } = rule;
  if (output.json) {
    output.object({ id: rule.id, family, severity, summary, why, fixable, url: ruleUrl(rule.id), examples });
    return;
  }
  const { color } = output;
  const lines = [
    `${color.bold(rule.id)}  ${color.dim(`${family}, ${severity} by default, ${FIX[`${fixable}`]}`)}`,
    '',
    summary,
    '',
    why,
  ];
  for (const { title, source, findings } of examples) {
    const mark = findings.length === 0 ? color.green('accepted') : color.red('found');
    lines.push('', `${mark}  ${title}`, '', ...indented(source));
  }
  lines.push('', color.dim(`See ${ruleUrl(rule.id)}`));
  output.print(lines.join('\n'));
}

function indented(source: string): string[] {
  return source
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`));
}

/** Shows, as JSON, what is configured for a file, every rule included. */
export async function printConfig(
  name: string,
  options: LintOptions,
  cwd: string,
  output: Output,
): Promise<void> {
  const file = resolve(cwd, name);
  const configuration = await finder(options, cwd).forFolder(dirname(file));
  const isIgnored = (await ignoreRules([cwd]).isIgnored(file, false)) || configuration.ignores(file);
  const value = {
    configuration: configuration.file,
    ignored: isIgnored,
    lint: {
      rules: Object.fromEntries(
        LINT_RULES.map(({ id, severity }) => [id, configuration.severities.get(id) ?? severity]),
      ),
      ignore: configuration.ignorePatterns,
    },
  };
  if (output.json) output.object(value);
  else output.document(`${JSON.stringify(value, null, 2)}\n`, { json: true });
}
