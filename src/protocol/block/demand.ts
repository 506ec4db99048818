import { slips } from '../../base/suggest.ts';
import { PROOF_TYPES } from '../terms.ts';
import { isObject } from './value.ts';

/** Keys that make an object a step block, each on its own. */
const DEMAND_KEYS: ReadonlySet<string> = new Set(['proof_of_work', 'challenge', 'proposal']);
/** An object with no other keys than these is a step block, too. */
const BLOCK_KEYS: ReadonlySet<string> = new Set(['proof_of_work', 'proposal', 'outputs', 'sampling']);
const TYPES: ReadonlySet<string> = new Set(PROOF_TYPES);

/** Whether a value is a step block (SPEC: by its keys, whatever they hold). */
export function isStepBlock(value: unknown): value is Record<string, unknown> {
  return isObject(value) && areBlockKeys(Object.keys(value));
}

/** The same for the keys alone. */
export function areBlockKeys(keys: readonly string[]): boolean {
  return (
    keys.some((key) => DEMAND_KEYS.has(key)) || (keys.length > 0 && keys.every((key) => BLOCK_KEYS.has(key)))
  );
}

/**
 * The key under which a value that is no step block seems to make a demand all the same: a misspelt `proof_of_work`, or
 * one key of any name that holds a typed proof.
 */
export function mistakenKey(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const misspelt = keys.find(isMisspelt);
  if (misspelt !== undefined) return misspelt;
  const [only] = keys;
  return keys.length === 1 && isProof(value[only!]) ? only : undefined;
}

/** At most two slips from `proof_of_work`, case and separators aside. */
function isMisspelt(key: string): boolean {
  const letters = key.toLowerCase().replace(/[^a-z]/g, '');
  return Math.abs(letters.length - 11) <= 2 && slips(letters, 'proofofwork') <= 2;
}

function isProof(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string' || !TYPES.has(value.type)) return false;
  return isObject(value[value.type]);
}

/** Without any of these in it, a text cannot be a step block. Escapes may hide a key from the eye. */
const MENTION = /proof|work|challenge|proposal|outputs|sampling|\\|\b(?:shell|mcp|user_input|comment)\b/i;

export function mayBeStepBlock(text: string): boolean {
  return MENTION.test(text);
}

/** An object that begins with a demand, in JSON or something near it. */
export const DEMAND_OBJECT = /\{\s*["'“”‘’]?(?:proof_of_work|challenge|proposal)["'“”‘’]?\s*[:=]/;
/** A YAML mapping that begins with one. */
export const DEMAND_MAPPING = /^(["']?)(?:proof_of_work|challenge|proposal)\1[ \t]*:(?=[ \t]|$)/m;

/** Whether a text that is no JSON seems to be meant as a step block: its braces may be missing, or comments stand before it. */
export function resemblesJson(text: string): boolean {
  if (beginsWithDemand(text)) return true;
  const keys = topLevelKeys(text);
  return keys.length > 0 && areBlockKeys(keys);
}

/** Whether a text that is no YAML seems to be meant as a step block: in block style or in flow style. */
export function resemblesYaml(text: string): boolean {
  const indent = /^[ \t]*(?=\S)/m.exec(text)?.[0] ?? '';
  const lines =
    indent === ''
      ? text
      : text.replaceAll(`\n${indent}`, '\n').slice(text.startsWith(indent) ? indent.length : 0);
  const keys = [...lines.matchAll(YAML_KEY)].map(([, key, explicit]) => key ?? explicit!);
  return areBlockKeys(keys) || resemblesJson(text);
}

const YAML_KEY = /^(?:["']?([A-Za-z_][\w-]*)["']?[ \t]*:|\?[ \t]+["']?([A-Za-z_][\w-]*)["']?[ \t]*$)/gm;

/** Whether a text begins with a demand once what JavaScript takes for a comment is set aside. */
export function beginsWithDemand(text: string): boolean {
  const start = withoutComments(text);
  if (!start.startsWith('{')) return DEMAND_MAPPING.exec(start)?.index === 0;
  return DEMAND_OBJECT.exec(`{${withoutComments(start.slice(1))}`)?.index === 0;
}

function withoutComments(text: string): string {
  return text.replace(/^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/, '');
}

/** What may close a string that one of these opens. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"“”',
  '“': '"“”',
  '”': '"“”',
  "'": "'‘’",
  '‘': "'‘’",
  '’': "'‘’",
};

/** Keys of the outermost object of something that may be JSON: strings and words before a colon. */
function topLevelKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char in QUOTES || /\w/.test(char)) {
      const end = wordEnd(text, at);
      const word = text.slice(at, end).replace(/["'“”‘’]/g, '');
      at = end - 1;
      if (depth === 1 && /^\s*(?::|$)/.test(text.slice(end, end + 100))) keys.push(word);
    }
  }
  return keys;
}

function wordEnd(text: string, start: number): number {
  const closing = QUOTES[text[start]!];
  let at = start + 1;
  while (at < text.length) {
    const char = text[at]!;
    if (closing === undefined ? !/\w/.test(char) : char === '\n') return at;
    if (closing?.includes(char)) return at + 1;
    at += closing !== undefined && char === '\\' ? 2 : 1;
  }
  return text.length;
}
