import { slips } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { PROOF_TYPES } from '../terms.ts';

/** Keys that make an object a step block, each on its own. */
const DEMAND_KEYS: ReadonlySet<string> = new Set(['proof_of_work', 'challenge', 'proposal']);
/** An object with no other keys than these is a step block, too. */
const BLOCK_KEYS: ReadonlySet<string> = new Set([
  'proof_of_work',
  'proposal',
  'outputs',
  'sampling',
  'captures',
]);
const TYPES: ReadonlySet<string> = new Set(PROOF_TYPES);

/** Whether a value is a step block (SPEC: by its keys, for any values). */
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
 * The key with which a value that isn't a step block still seems to make a demand: a misspelt
 * `proof_of_work`, or one key of any name with a typed proof.
 */
export function mistakenKey(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const misspelt = keys.find((key) => meantBy(key) === 'proof_of_work');
  if (misspelt !== undefined) return misspelt;
  const [only] = keys;
  if (keys.length === 1 && isProof(value[only!])) return only;
  return keys.find((key) => {
    const meant = meantBy(key);
    return meant !== undefined && (holdsWhat(meant, value[key]) || isSlip(key, meant, value[key]));
  });
}

/** A key one slip away from another and not another word, as its singular is, over objects. */
function isSlip(key: string, meant: string, value: unknown): boolean {
  const letters = key.toLowerCase();
  const [first] = Array.isArray(value) ? value : [value];
  const isWord = meant.replace(/s$/, '') === letters.replace(/[sd]$/, '');
  return isObject(first) && !isWord && slips(letters, meant) === 1;
}

/** The key of a step block that another one seems to be meant for: an older name, or at most two slips, case and separators aside. */
export function meantBy(key: string): string | undefined {
  const letters = key.toLowerCase().replace(/[^a-z]/g, '');
  if (letters === 'proofofworkrequired') return 'proof_of_work';
  return [...BLOCK_KEYS].find((known) => {
    const word = known.replace(/_/g, '');
    return Math.abs(letters.length - word.length) <= 2 && slips(letters, word) <= 2;
  });
}

/** Whether a value has the keys that belong under a block key. Words such as `output` and `sample` have other meanings too. */
function holdsWhat(key: string, value: unknown): boolean {
  const [first] = Array.isArray(value) ? value : [value];
  if (!isObject(first)) return false;
  const marks = MARKS[key];
  return marks?.some((mark) => mark.every((part) => part in first)) === true;
}

/** Keys that only such a value has together. */
const MARKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  outputs: ['exists', 'sha256', 'matches', 'json_pointer', 'equals', 'schema'].map((key) => ['path', key]),
  sampling: [
    ['prompt', 'output_schema'],
    ['system', 'prompt'],
  ],
  proposal: [
    ['action_type'],
    ['approval_class'],
    ['risk_envelope'],
    ['evidence_bindings'],
    ['rollback_semantics'],
  ],
  captures: [['name', 'from']],
};

function isProof(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string' || !TYPES.has(value.type)) return false;
  return isObject(value[value.type]);
}

/** Without any of these in it, a text cannot be a step block. Escapes may hide a key from the eye. */
const MENTION =
  /proof|work|challenge|prop|outp|otu|sampl|samp|capt|action_type|approval_class|risk_envelope|output_schema|json_pointer|\\|\b(?:shell|mcp|user_input|comment)\b/i;

export function mayBeStepBlock(text: string): boolean {
  return MENTION.test(text);
}

/** An object that begins with a demand, in JSON or something near it. */
export const DEMAND_OBJECT = /\{\s*["'“”‘’]?(?:proof_of_work|challenge|proposal)["'“”‘’]?\s*[:=]/;
/** A YAML mapping that begins with one. */
export const DEMAND_MAPPING = /^(["']?)(?:proof_of_work|challenge|proposal)\1[ \t]*:(?=[ \t]|$)/m;

/**
 * Whether a text that isn't JSON seems to be meant as a step block: its braces may be missing, or comments
 * may precede it.
 */
export function resemblesJson(text: string): boolean {
  if (beginsWithDemand(text)) return true;
  const keys = topLevelKeys(text);
  return keys.length > 0 && areBlockKeys(keys);
}

/** Whether a text that isn't YAML seems to be meant as a step block: in block style or in flow style. */
export function resemblesYaml(text: string): boolean {
  const indent = /^[ \t]*(?=\S)/m.exec(text)?.[0] ?? '';
  const lines =
    indent === ''
      ? text
      : text.replaceAll(`\n${indent}`, '\n').slice(text.startsWith(indent) ? indent.length : 0);
  const keys = Array.from(lines.matchAll(YAML_KEY), ([, key]) => key!);
  const isAliased = ALIAS_KEY.test(lines) && (ANCHORED_KEY.test(text) || PROOF_TYPE.test(text));
  return areBlockKeys(keys) || resemblesJson(text) || isAliased;
}

/** A key, its anchor or tag aside; an alias counts as the key that it may stand for. */
const YAML_KEY =
  /^(?:\?[ \t]+)?(?:[&!][^\s,[\]{}]*[ \t]+){0,2}["']?([A-Za-z_][\w-]*)["']?[ \t]*(?::(?=[ \t]|$)|$)/gm;
const ALIAS_KEY = /^(?:\?[ \t]+)?\*[^\s:]+[ \t]*(?::|$)/m;
const ANCHORED_KEY = /&[^\s,[\]{}]+[ \t]+["']?(?:proof_of_work|challenge|proposal)\b/;
const PROOF_TYPE = /^\s+["']?type["']?[ \t]*:[ \t]*["']?(?:shell|mcp|user_input|comment)["']?[ \t]*$/m;

/** Whether a text begins with a demand, ignoring JavaScript comments. */
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
