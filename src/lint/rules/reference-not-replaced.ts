import { exactTexts, referencesIn, shownTexts } from '../../protocol/inputs.ts';
import type { BlockNode, ChainNode } from '../../protocol/model.ts';
import { outerReferences, referenceRange } from '../../protocol/structure-problems.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const referenceNotReplaced: LintRule = {
  id: 'reference-not-replaced',
  family: 'reference',
  severity: 'warning',
  summary: 'A reference is where a run puts the value.',
  why: 'A run puts values into the texts and demands of steps. Titles, the description and the proposal of a step are the same in every run, so people and tools get the braces.',
  check(context) {
    const { source } = context;
    if (!source.includes('{{')) return;
    for (const chain of context.document.chains) {
      const known = namesOf(chain);
      const report = (name: string, [start, end]: readonly [number, number], where: string) => {
        if (!known.has(name)) return;
        context.report({
          place: context.place(start, end),
          reason: `{{${name}}} isn't replaced ${where}, so people and tools get the braces. Name what it stands for in words, and put the reference into the text of a step.`,
        });
      };
      for (const { name, range } of outerReferences(source, chain))
        report(name, range, 'in titles, descriptions and completion rules');
      for (const { block } of chain.steps) {
        if (block === null) continue;
        for (const { text, path } of unreplacedTexts(block)) {
          const { start, end } = nearestPlace(context, block, path);
          const range = { start: start.offset, end: end.offset };
          const key = String(path.findLast((part) => typeof part === 'string'));
          for (const name of new Set(referencesIn(text)))
            report(name, referenceRange(source, range, name) ?? [range.start, range.end], `in \`${key}\``);
        }
      }
    }
  },
};

function namesOf({ inputs, steps }: ChainNode): ReadonlySet<string> {
  const captures = steps.flatMap(({ block }) => block?.value.captures ?? []);
  return new Set([...Object.keys(inputs), ...captures.map(({ name }) => name)]);
}

interface Leaf {
  text: string;
  path: (string | number)[];
}

/** The texts of a block that a run shows as written. Commands and patterns have an error instead (`reference-in-command`). */
function unreplacedTexts({ value }: BlockNode): Leaf[] {
  const elsewhere = [...shownTexts(value), ...exactTexts(value).map(({ text }) => text)];
  return leavesOf(value, []).filter(({ text }) => {
    const at = elsewhere.indexOf(text);
    if (at !== -1) elsewhere.splice(at, 1);
    return at === -1;
  });
}

function leavesOf(value: unknown, path: Leaf['path']): Leaf[] {
  if (typeof value === 'string') return value.includes('{{') ? [{ text: value, path }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
