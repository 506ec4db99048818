import { findRule } from '../../../lint/find-rule.ts';
import { ruleUrl } from '../../../lint/rule-url.ts';
import type { Output } from '../../output.ts';

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
