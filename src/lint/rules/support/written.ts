import { isObject } from '../../../base/json.ts';
import type { BlockNode, ChainNode, Place, StepNode } from '../../../protocol/model.ts';
import type { ProposalTemplate } from '../../../protocol/schema.ts';
import type { Fix } from '../../message.ts';
import type { Located, RuleContext, StepScript } from '../../rule.ts';

type Path = readonly (string | number)[];

/** The place of a normalised block's value in the block as written: older spellings have other keys. */
export function writtenPath({ spelling, raw }: BlockNode, path: Path): Path {
  const [first, second, ...rest] = path;
  if (first !== 'proof_of_work') return path;
  const key = spelling === 'challenge' ? 'challenge' : 'proof_of_work';
  const proof = (raw as Record<string, unknown> | null)?.[key];
  const isFlat = second === 'shell' && isObject(proof) && !('shell' in proof);
  return isFlat ? [key, ...rest] : [key, ...path.slice(1)];
}

/** Whether the author wrote a value, or it is a default. */
export function isWritten(block: BlockNode, path: Path): boolean {
  let value: unknown = block.raw;
  for (const part of writtenPath(block, path)) {
    if ((!isObject(value) && !Array.isArray(value)) || !(part in value)) return false;
    value = (value as Record<string | number, unknown>)[part];
  }
  return true;
}

/** The value of a block, or null if it isn't written or is on a proof line. */
export function locateWritten(context: RuleContext, block: BlockNode, path: Path): Located | null {
  return isWritten(block, path) ? context.locate(block, writtenPath(block, path)) : null;
}

/** The place of a value, or of the nearest thing around it that is written. */
export function nearestPlace(context: RuleContext, block: BlockNode, path: Path): Place {
  for (let length = path.length; length > 0; length -= 1) {
    const found = locateWritten(context, block, path.slice(0, length));
    if (found !== null) return length < path.length && found.key !== null ? found.key : found.value;
  }
  return block.place;
}

/** The same for its key. */
export function keyPlaceOf(context: RuleContext, block: BlockNode, path: Path): Place {
  return locateWritten(context, block, path)?.key ?? nearestPlace(context, block, path);
}

/**
 * An edit that writes a key after another one of the same object, in the style of its surroundings: on the
 * same line, or on a new line with the same indentation. Undefined if the neighbour is not found.
 */
export function insertAfter(
  context: RuleContext,
  block: BlockNode,
  neighbour: Path,
  key: string,
  value: unknown,
): Omit<Fix, 'safe'> | undefined {
  const located = locateWritten(context, block, neighbour);
  if (located === null || located.key === null) return undefined;
  const { source } = context;
  const end = located.value.end.offset;
  const keyStart = located.key.start.offset;
  const lineStart =
    Math.max(source.lastIndexOf('\n', keyStart - 1), source.lastIndexOf('\r', keyStart - 1)) + 1;
  const indent = source.slice(lineStart, keyStart);
  const isOwnLine = /^[ \t]*$/.test(indent);
  const json = JSON.stringify(value);
  if (block.format === 'json' || !isOwnLine) {
    const member = block.format === 'json' ? `${JSON.stringify(key)}: ${json}` : `${key}: ${json}`;
    return { range: [end, end], replacement: isOwnLine ? `,\n${indent}${member}` : `, ${member}` };
  }
  const member = `${indent}${key}: ${json}`;
  // A block scalar ends with its last line.
  const replacement = source[end - 1] === '\n' ? `${member}\n` : `\n${member}`;
  return { range: [end, end], replacement };
}

/** An edit that replaces a value. Undefined where it is not to be found. */
export function replaceValue(
  context: RuleContext,
  block: BlockNode,
  path: Path,
  value: unknown,
): Omit<Fix, 'safe'> | undefined {
  const located = locateWritten(context, block, path);
  if (located === null) return undefined;
  return {
    range: [located.value.start.offset, located.value.end.offset],
    replacement: JSON.stringify(value),
  };
}

/**
 * An edit of a command in its source. Undefined if the part is not in the source letter by letter (escapes,
 * folded lines), or if the new text would need escapes.
 */
export function editScript(
  { source }: RuleContext,
  script: StepScript,
  [start, end]: readonly [number, number],
  replacement: string,
): Omit<Fix, 'safe'> | undefined {
  if (/["'\\\r\n]/.test(replacement) || end > script.text.length) return undefined;
  const place = script.place(start, end);
  const range: [number, number] = [place.start.offset, place.end.offset];
  // A neighbour is looked at as well: an empty range would be equal anywhere.
  const around = script.place(Math.max(start - 1, 0), end);
  const isLiteral =
    source.slice(...range) === script.text.slice(start, end) &&
    source.slice(around.start.offset, around.end.offset) === script.text.slice(Math.max(start - 1, 0), end);
  return isLiteral ? { range, replacement } : undefined;
}

/**
 * The range of a member of a JSON object, given the range of its key: with the comma before it, else the one after it. Undefined where
 * its value isn't a list of plain texts on one line.
 */
export function removeMember(source: string, keyStart: number, keyEnd: number): [number, number] | undefined {
  const value = /^\s*:\s*\[[^[\]{}\n]*\]/.exec(source.slice(keyEnd))?.[0];
  if (value === undefined || source[keyStart] !== '"') return undefined;
  const end = keyEnd + value.length;
  const before = /,\s*$/.exec(source.slice(0, keyStart))?.[0];
  if (before !== undefined) return [keyStart - before.length, end];
  const after = /^\s*,\s*/.exec(source.slice(end))?.[0];
  return after === undefined ? undefined : [keyStart, end + after.length];
}

/** What to do so that a command gets the terminal. Shorthand has no word for it. */
export function howToInteract({ format }: BlockNode): string {
  return format === 'shorthand'
    ? 'write the step block in JSON or YAML with "interactive": true'
    : 'set "interactive": true';
}

/** The inputs of a command's protocol, and the captures of earlier steps. */
export function namesAt({ chain: { inputs, steps }, step: { index } }: StepScript): Set<string> {
  const earlier = steps.filter((each) => each.index < index);
  const captured = earlier.flatMap(({ block }) => block?.value.captures ?? []).map(({ name }) => name);
  return new Set([...Object.keys(inputs), ...captured]);
}

/** How many folders above the document are looked in, where no repository ends the search. */
const LEVELS = 12;

/**
 * Whether a path of a command exists in its workdir, from the document's folder or one above it, up to the root of the
 * repository. True for a document without a place on disk.
 */
export function existsAbove(
  { exists }: Pick<RuleContext, 'exists'>,
  { block }: StepScript,
  path: string,
): boolean {
  const proof = block.value.proof_of_work;
  const workdir = proof?.type === 'shell' ? proof.shell.workdir : undefined;
  const below = [...(workdir === undefined ? [] : [workdir]), path.replace(/^\.\//, '')].join('/');
  for (let level = 0, above = ''; level < LEVELS; level += 1, above += '../') {
    if (exists(`${above}${below}`) !== false) return true;
    if (exists(`${above}.git`) === true) return false;
  }
  return false;
}

/** The commands that prove earlier steps of the same protocol. */
export function scriptsBefore(
  { scripts }: Pick<RuleContext, 'scripts'>,
  { chain, step }: StepScript,
): StepScript[] {
  return scripts.filter(
    (each) => each.chain === chain && each.step.index < step.index && each.role === 'proof',
  );
}

interface GatedStepNode {
  chain: ChainNode;
  step: StepNode;
  block: BlockNode;
  template: ProposalTemplate;
}

/** The steps that are gated by a proposal, in order. */
export function gatedSteps({ steps }: Pick<RuleContext, 'steps'>): readonly GatedStepNode[] {
  let found: GatedStepNode[] | undefined;
  for (const { chain, step } of steps) {
    const { block } = step;
    const template = block?.value.proposal;
    if (block === null || template === undefined) continue;
    found ??= [];
    found.push({ chain, step, block, template });
  }
  return found ?? NONE;
}

/** Most documents have none, and many rules ask. */
const NONE: readonly GatedStepNode[] = [];

/** The variable that a parameter of a command is handed over in; null when its key makes none (SPEC 7). */
export function parameterVariable(key: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `KAIROS_PARAM_${key.toUpperCase()}` : null;
}

/** The parameters that a template declares, by key. */
export function declaredParameters({ parameters_schema: schema }: ProposalTemplate): string[] {
  const properties = schema?.properties;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** A reference to evidence in a proposal, where it is written. */
export interface EvidenceRef {
  step: StepNode;
  /** The steps of the chain, for what the reference leads to. */
  steps: readonly StepNode[];
  block: BlockNode;
  template: ProposalTemplate;
  ref: string;
  path: (string | number)[];
  /** A binding must name a step; a precondition may name a binding. */
  isBinding: boolean;
}

/** Every `evidence_ref` of preconditions and every `ref` of bindings, in order. */
export function evidenceRefs(context: Pick<RuleContext, 'steps'>): EvidenceRef[] {
  return gatedSteps(context).flatMap(({ chain, step, block, template }) => {
    const common = { step, steps: chain.steps, block, template };
    return [
      ...(template.preconditions ?? []).map(({ evidence_ref }, at) => ({
        ...common,
        ref: evidence_ref,
        path: ['proposal', 'preconditions', at, 'evidence_ref'],
        isBinding: false,
      })),
      ...(template.evidence_bindings ?? []).map(({ ref }, at) => ({
        ...common,
        ref,
        path: ['proposal', 'evidence_bindings', at, 'ref'],
        isBinding: true,
      })),
    ];
  });
}

/** The number in `step:3`; null for anything else. */
export function stepNumber(ref: string): number | null {
  const digits = /^step:([1-9][0-9]{0,5})$/.exec(ref)?.[1];
  return digits === undefined ? null : Number(digits);
}
