import { configurationOf, explainRule } from '../../../operations/lint/lint.ts';
import type { Output } from '../../output.ts';
import type { LintOptions } from './settings.ts';

const FIX = {
  safe: 'can be fixed with --fix',
  unsafe: 'can be fixed with --fix --unsafe-fixes; check the changes',
  false: 'must be fixed by hand',
} as const;

/** Prints what a rule reports. Throws USAGE for an unknown rule. */
export async function printRule(id: string, output: Output): Promise<void> {
  const rule = await explainRule(id);
  if (output.json) {
    output.object({ ...rule });
    return;
  }
  const { family, severity, summary, why, fixable, url, examples } = rule;
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
  lines.push('', color.dim(`See ${url}`));
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
  const value = await configurationOf(name, options, cwd);
  if (output.json) output.object(value);
  else output.document(`${JSON.stringify(value, null, 2)}\n`, { json: true });
}
