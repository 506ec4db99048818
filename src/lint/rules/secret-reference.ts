import { referencesIn } from '../../protocol/inputs.ts';
import type { ChainNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';

export const secretReference: LintRule = {
  id: 'secret-reference',
  family: 'safety',
  severity: 'warning',
  summary: 'A secret reaches commands only.',
  why: 'A text is shown to people and agents. A secret is redacted everywhere and never recorded, so the text keeps the reference unchanged.',
  check(context) {
    const known = new Map(context.document.chains.map((chain) => [chain, secretsOf(chain)]));
    for (const { chain, step: each } of context.steps) {
      const secrets = known.get(chain)!;
      if (secrets.size === 0) continue;
      const { start, end } = each.place;
      const text = context.source.slice(start.offset, end.offset);
      for (const name of new Set(referencesIn(text))) {
        if (!secrets.has(name)) continue;
        const at = text.search(new RegExp(`\\{\\{[ \\t]*${name}[ \\t]*\\}\\}`));
        context.report({
          place: context.place(start.offset + at, start.offset + text.indexOf('}}', at) + 2),
          reason: `${name} is secret, so the text shows the reference and not the value. Use "$${name}" in a command.`,
        });
      }
    }
  },
};

function secretsOf({ inputs, steps }: ChainNode): ReadonlySet<string> {
  const named = [
    ...Object.entries(inputs).map(([name, { secret }]) => ({ name, secret })),
    ...steps.flatMap(({ block }) => block?.value.captures ?? []),
  ];
  return new Set(named.flatMap(({ name, secret }) => (secret === true ? [name] : [])));
}
