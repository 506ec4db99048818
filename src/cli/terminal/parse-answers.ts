import { isAlias, isMap, isScalar, isSeq, parseDocument, type Scalar, visit } from 'yaml';
import { KairosError, yamlFault } from '../../base/errors.ts';
import { type GivenAnswers, unusableAnswers } from './match-answers.ts';

/** The pure part of `readAnswersFile`; `path` is for messages. Import it only to parse something. */
export function parseAnswers(text: string, path: string): GivenAnswers {
  const root = parseTexts(text, (reason) => unusableAnswers(path, reason));
  if (!isMap(root)) throw unusableAnswers(path, 'it is not a mapping with the key answers');
  const unknown = root.items.map(({ key }) => String(key)).filter((key) => key !== 'answers');
  if (unknown.length > 0)
    throw unusableAnswers(path, `it has unknown keys next to answers: ${unknown.join(', ')}`);
  const body = root.get('answers');
  if (!isMap(body)) throw unusableAnswers(path, 'answers is not a mapping');

  const given = new Map<string, string | ReadonlyMap<string, string>>();
  for (const { key, value } of body.items) {
    const name = String(key);
    if (isScalar(value)) given.set(name, textOf(value));
    else if (isMap(value) && /^\d+\.proposal$/.test(name)) given.set(name, proposalOf(value, name));
    else if (isMap(value)) given.set(name, new Map(value.items.map((item) => namedAnswer(item, name))));
    else throw unusableAnswers(path, `the answer to ${name} is neither a text nor a mapping`);
  }
  return given;

  function namedAnswer(item: { key: unknown; value: unknown }, of: string): [string, string] {
    if (isMap(item.value) && String(item.key) === PROPOSAL)
      return [PROPOSAL, proposalOf(item.value, `${of}, ${PROPOSAL}`)];
    if (!isScalar(item.value)) throw unusableAnswers(path, `the answer to ${of}, ${item.key}, is not a text`);
    return [String(item.key), textOf(item.value)];
  }

  function proposalOf(value: unknown, of: string): string {
    const text = jsonAnswer(value);
    if (text === null) throw unusableAnswers(path, `the answer to ${of} has a key that is not a text`);
    return text;
  }
}

/** An inputs file: a value by the name of each input. Scalars are kept as written; an empty one and null are left out. */
export function parseInputs(text: string, path: string): Record<string, string> {
  const invalid = (reason: string) =>
    new KairosError('INVALID_INPUT', `The inputs file ${path} cannot be used: ${reason}.`, {
      hint: 'Write a mapping like {TARGET_HOST: lb1}.',
    });
  if (text.length > MAX_LENGTH) throw invalid('it is longer than 1 MiB');
  const root = parseTexts(text, invalid);
  if (root === null) return {};
  if (!isMap(root)) throw invalid('it is not a mapping of names to values');
  const given = root.items.flatMap(({ key, value }): [string, string][] => {
    if (value !== null && !isScalar(value)) throw invalid(`the value of ${key} is not a text`);
    const isNone =
      value === null || (value.type === 'PLAIN' && ['', '~', 'null'].includes(String(value.value)));
    return isNone ? [] : [[String(key), String(value.value)]];
  });
  return Object.fromEntries(given);
}

/** UTF-16 units. */
const MAX_LENGTH = 1024 * 1024;

/** Returns the root of a YAML or JSON document in which every scalar is a text. Throws the error that `invalid` returns. */
function parseTexts(text: string, invalid: (reason: string) => KairosError): unknown {
  if (nestsTooDeep(text)) throw invalid('it is nested more than 64 levels deep');
  // The failsafe schema knows only texts: nothing becomes a number, a date or a boolean.
  const document = parseDocument(text, { schema: 'failsafe' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw invalid(yamlFault(problem));
  visit(document, {
    Node(_key, node) {
      if (isAlias(node) || node.anchor !== undefined) throw invalid('it has an anchor or an alias');
      if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) throw invalid(`it has a tag, ${node.tag}`);
    },
  });
  return document.contents;
}

/** The one answer that is a document: JSON text, or a mapping. */
const PROPOSAL = 'proposal';

/** Checked on the text before parsing, because thousands of levels crash the process inside the parser. */
function nestsTooDeep(text: string): boolean {
  let open = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > 64) return true;
  }
  return /^[ ?:-]{200}/m.test(text);
}

const PLAIN_TAGS = new Set(['tag:yaml.org,2002:map', 'tag:yaml.org,2002:str']);

function textOf(scalar: { value: unknown }): string {
  return String(scalar.value).replace(/\n$/, '');
}

/**
 * A mapping of an answers file as JSON text; null for an invalid one (with a key that isn't a text, for
 * example). The failsafe schema keeps the digits of a number as written, so that the reader of the text can
 * judge them. A value that JSON writes as a number, `true`, `false` or `null` stays that; everything else is
 * a text.
 */
function jsonAnswer(node: unknown): string | null {
  if (node === null) return 'null';
  if (isScalar(node)) return scalar(node);
  if (isSeq(node)) {
    const items = node.items.map(jsonAnswer);
    return items.includes(null) ? null : `[${items.join(',')}]`;
  }
  if (!isMap(node)) return null;
  const members = node.items.map(({ key, value }) => {
    const text = jsonAnswer(value);
    return isScalar(key) && text !== null ? `${JSON.stringify(String(key.value))}:${text}` : null;
  });
  return members.includes(null) ? null : `{${members.join(',')}}`;
}

function scalar({ type, value }: Scalar): string {
  const text = String(value);
  if (type !== 'PLAIN') return JSON.stringify(text);
  if (text === '') return 'null';
  return JSON_WORD.test(text) ? text : JSON.stringify(text);
}

const JSON_WORD = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
