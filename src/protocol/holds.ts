import { suggest } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { findHeld } from '../shell/held.ts';
import { GIT_COMMANDS } from '../shell/hidden.ts';
import { readCommandPattern } from '../shell/same-command.ts';
import { HOLD_SHAPE, PROPOSED_HOLD_SHAPE } from './block/block-shape.ts';
import { readShape, type Shape } from './block/shape.ts';
import type { Path } from './block/value.ts';
import { isSlug } from './identity.ts';
import type { Hold, ProposedHold } from './schema.ts';

/** What is wrong with a hold, as the end of a sentence that begins with its path. */
export interface HoldProblem {
  path: Path;
  fault: string;
  /** The path is about the key, not the value. */
  isKey?: true;
}

/** Reads the value of `holds` in a frontmatter. Leaves out each hold with a problem. */
export function readProposedHolds(value: unknown): { holds: ProposedHold[]; problems: HoldProblem[] } {
  return readHolds<ProposedHold>(value, PROPOSED_HOLD_SHAPE);
}

export type HoldReading = { ok: true; holds: Hold[] } | { ok: false; problems: string[] };

/** A parsed `hold.yaml`: its holds, or each problem with its path. An empty document has no holds. */
export function readHoldList(value: unknown): HoldReading {
  const list = value ?? { holds: [] };
  if (!isObject(list)) return { ok: false, problems: ['must be a mapping with the key holds'] };
  const foreign = Object.keys(list).filter((key) => key !== 'holds');
  const { holds, problems } = readHolds<Hold>(list.holds === null ? [] : list.holds, HOLD_SHAPE);
  const all = [...foreign.map((key) => unknownKey([key], ['holds'])), ...problems];
  if (all.length === 0) return { ok: true, holds };
  return { ok: false, problems: all.map(({ path, fault }) => `${path.join('.')}: ${fault}`) };
}

function readHolds<Read>(value: unknown, shape: Shape): { holds: Read[]; problems: HoldProblem[] } {
  if (!Array.isArray(value))
    return { holds: [], problems: [{ path: ['holds'], fault: 'must be a list of holds' }] };
  const holds: Read[] = [];
  const problems: HoldProblem[] = [];
  for (const [at, written] of value.entries()) {
    const path = ['holds', at];
    const found = [...shapeProblems(written, shape, path), ...matchProblems(written, path)];
    problems.push(...found);
    if (found.length === 0) holds.push(readShape(shape, written) as Read);
  }
  return { holds, problems };
}

function shapeProblems(value: unknown, shape: Shape, path: Path): HoldProblem[] {
  if (shape.kind !== 'object')
    return readShape(shape, value) === undefined ? [{ path, fault: `must be ${wanted(shape)}` }] : [];
  if (!isObject(value)) return [{ path, fault: 'must be a mapping' }];
  const { fields } = shape;
  const known = Object.keys(fields);
  return [
    ...known.flatMap((key) => {
      const { shape: inner, otherwise } = fields[key]!;
      if (Object.hasOwn(value, key)) return shapeProblems(value[key], inner, [...path, key]);
      return otherwise === undefined ? [{ path: [...path, key], fault: 'is missing' }] : [];
    }),
    ...Object.keys(value)
      .filter((key) => !known.includes(key))
      .map((key) => unknownKey([...path, key], known)),
  ];
}

function unknownKey(path: Path, known: readonly string[]): HoldProblem {
  const meant = suggest(String(path.at(-1)), known);
  const help = meant === undefined ? `the keys are ${known.join(', ')}` : `did you mean ${meant}?`;
  return { path, fault: `is an unknown key; ${help}`, isKey: true };
}

function wanted(shape: Shape): string {
  switch (shape.kind) {
    case 'word':
      return shape.words.join(' or ');
    case 'number':
      return 'a whole number from 1';
    case 'mapping':
      return 'a mapping';
    default:
      return 'a text that is not empty';
  }
}

/** What a shape can't express. */
function matchProblems(hold: unknown, path: Path): HoldProblem[] {
  const { match, protocol } = isObject(hold) ? hold : {};
  const { command, tool, arguments: args } = isObject(match) ? match : {};
  const at = [...path, 'match'];
  const problems: HoldProblem[] = [];
  if (isObject(match) && (command === undefined) === (tool === undefined))
    problems.push({ path: at, fault: 'must name either a command or a tool' });
  else if (command !== undefined && args !== undefined)
    problems.push({ path: at, fault: 'has arguments, which only a tool has' });
  for (const [key, fault] of [
    ['command', typeof command === 'string' && command !== '' ? commandFault(command) : null],
    ['tool', typeof tool === 'string' && tool !== '' ? toolFault(tool) : null],
  ] as const)
    if (fault !== null) problems.push({ path: [...at, key], fault });
  for (const [key, text] of Object.entries({ command, tool }))
    if (
      typeof text === 'string' &&
      (text.normalize('NFKC') !== text.normalize('NFC') || /\p{Cf}/u.test(text))
    )
      problems.push({
        path: [...at, key],
        fault: 'has a character that looks like another one or that is not shown',
      });
  if (typeof protocol === 'string' && !isSlug(protocol))
    problems.push({ path: [...path, 'protocol'], fault: 'must be the slug of a protocol' });
  return problems;
}

/** Programs whose subcommands have small letters alone, and can't be given other names. */
const LOWER_CASE = /^(?:npm|docker|podman|kubectl|helm|terraform|tofu)$/;

/** Why a command isn't an entry, or is one that can cover no call; null for a good one. */
function commandFault(command: string): string | null {
  const pattern = readCommandPattern(command);
  if (pattern === null)
    return 'must be one simple command, such as git push; * stands for any text in a word';
  const { name, words, options } = pattern;
  if (/^$|\s/.test(name) || words.includes(''))
    return 'has quotes around a blank or around nothing, so it covers no call; write the program and its words without quotes';
  const word = options.length > 0 ? '' : (words[0] ?? '');
  const small = word.toLowerCase();
  if (word !== small && (LOWER_CASE.test(name) || (name === 'git' && GIT_COMMANDS.has(small))))
    return `covers no call, because ${name} has no subcommand ${word}; did you mean ${name} ${small}?`;
  if (findHeld(command.replaceAll('*', 'x'), pattern) === null)
    return "covers no call; write the program and its first words, such as git push, without --help and git's options before its subcommand";
  return null;
}

/** Why a pattern for tools can't cover any call. */
function toolFault(tool: string): string | null {
  const [, prefixed] = /^mcp(?:__|:)(.+)$/i.exec(tool) ?? [];
  if (prefixed !== undefined)
    return `has the name that one client gives to a tool; write ${prefixed.replace('__', '/')}, as NAME or SERVER/NAME`;
  if (/\s|[|^$?()[\]{}\\+,;"'`]/.test(tool))
    return 'has a character that no name of a tool has; write NAME or SERVER/NAME, in which only * stands for other text';
  if (/^\/|\/$/.test(tool)) return 'has nothing before or behind the slash; write NAME or SERVER/NAME';
  return null;
}
