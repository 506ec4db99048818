import { chainId, stepUri } from '../../protocol/identity.ts';
import type { ChainNode, ParseResult, Place } from '../../protocol/model.ts';

/** A chain, section or step in an editor's outline. */
export interface OutlineEntry {
  name: string;
  detail?: string;
  kind: 'chain' | 'section' | 'step';
  place: Place;
  labelPlace: Place;
  children?: OutlineEntry[];
}

/** An input or a capture, and where it is declared. */
export interface NamedValue {
  name: string;
  kind: 'input' | 'capture';
  description: string;
  declared: [from: number, to: number];
}

/** What a code lens offers at a heading. */
export interface EditorLens {
  action: 'run' | 'lint' | 'last-run';
  slug: string;
  place: Place;
}

const offsets = ({ start, end }: Place): [number, number] => [start.offset, end.offset];

/** The chains of a document with their sections and steps, in the order of the text. */
export function outlineOf({ document }: ParseResult): OutlineEntry[] {
  return document.chains.map(({ title, slug, place, titlePlace, triggers, completionRule, steps }) => ({
    name: title,
    detail: slug,
    kind: 'chain',
    place,
    labelPlace: titlePlace,
    children: [
      ...[triggers, completionRule].flatMap((section): OutlineEntry[] => {
        if (section === null) return [];
        const labelPlace = headOf(document.source, section.place);
        return [{ name: section.label, kind: 'section', place: section.place, labelPlace }];
      }),
      ...steps.map(({ index, label, block, place: stepPlace, labelPlace }): OutlineEntry => {
        const step = { name: `${index}. ${label}`, kind: 'step', place: stepPlace, labelPlace } as const;
        return block === null ? step : { ...step, detail: demandName(block.value) };
      }),
    ].sort((a, b) => a.place.start.offset - b.place.start.offset),
  }));
}

/** The first line of a place. */
function headOf(source: string, { start }: Place): Place {
  const length = source.slice(start.offset).search(/[\r\n]|$/);
  const end = { line: start.line, column: start.column + length, offset: start.offset + length };
  return { start, end };
}

function demandName({
  proof_of_work: proof,
  sampling,
  proposal,
}: NonNullable<ChainNode['steps'][number]['block']>['value']): string {
  const parts = [proof?.type ?? (sampling === undefined ? 'comment' : 'sampling')];
  return [...parts, ...(proposal === undefined ? [] : ['proposal'])].join(', ');
}

/** At each chain of a protocol: run, lint, show the last run. */
export function lensesOf({ document }: ParseResult): EditorLens[] {
  return document.chains.flatMap(({ slug, titlePlace }) =>
    (['run', 'lint', 'last-run'] as const).map((action) => ({ action, slug, place: titlePlace })),
  );
}

/** The inputs and captures of a document. */
export function namesOf({ document }: ParseResult): NamedValue[] {
  const { frontmatter, chains, source } = document;
  const inputs = Object.entries(frontmatter?.inputs ?? {}).map(([name, { description }]): NamedValue => {
    const [from, to] = offsets(frontmatter!.place);
    return { name, kind: 'input', description: description ?? '', declared: find(source, name, from, to) };
  });
  const captures = chains.flatMap(({ steps }) =>
    steps.flatMap(({ index, label, block }) =>
      (block?.value.captures ?? []).map(({ name, from }): NamedValue => {
        const [start, end] = offsets(block!.place);
        const description = `${from} of step ${index}: ${label}`;
        return { name, kind: 'capture', description, declared: find(source, name, start, end) };
      }),
    ),
  );
  return [...inputs, ...captures];
}

function find(source: string, name: string, from: number, to: number): [number, number] {
  const at = source.slice(from, to).search(new RegExp(`\\b${name}\\b`));
  return at === -1 ? [from, to] : [from + at, from + at + name.length];
}

/** Where what an offset names is declared: an input, a capture, a step by `step:2` or by its URI. Null for anything else. */
export function declarationAt(parsed: ParseResult, offset: number, space: string): [number, number] | null {
  const { source, chains } = parsed.document;
  const name = nameAround(source, offset);
  const known =
    name === null ? undefined : namesOf(parsed).find((each) => each.name === source.slice(...name));
  if (known !== undefined) return known.declared;
  const start = Math.max(source.lastIndexOf('\n', offset - 1) + 1, offset - 200);
  for (const { 0: text, 1: step, index } of source
    .slice(start, offset + 200)
    .matchAll(/\bstep:(\d+)\b|kairos:\/\/mem\/[0-9a-f-]{36}/g)) {
    if (offset < start + index || offset > start + index + text.length) continue;
    for (const { slug, steps, place } of chains) {
      const isOwn = place.start.offset <= offset && offset <= place.end.offset;
      const target = steps.find((each) =>
        step === undefined
          ? stepUri(chainId(space, slug), each.index) === text
          : isOwn && each.index === Number(step),
      );
      if (target !== undefined) return offsets(target.labelPlace);
    }
  }
  return null;
}

/** The name of an input or capture around an offset. */
export function nameAround(text: string, offset: number): [number, number] | null {
  const isName = (at: number) => at >= 0 && at < text.length && /[A-Z0-9_]/.test(text[at]!);
  let from = offset;
  let to = offset;
  while (isName(from - 1)) from -= 1;
  while (isName(to)) to += 1;
  return from === to ? null : [from, to];
}
