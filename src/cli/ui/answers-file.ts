import { readFile } from 'node:fs/promises';
import { KairosError } from '../../base/errors.ts';

/** Answers as written: a text for a step's one question, or texts by the question's name. All scalars are texts. */
export type GivenAnswers = ReadonlyMap<string, string | ReadonlyMap<string, string>>;

/** Bytes; the same bound as for protocols. */
const MAX_SIZE = 1024 * 1024;

/**
 * Reads `--answers FILE`: YAML 1.2 or JSON, `answers: {<step number, label, slug of a label, or question id>: <text>}`,
 * or `{<question name>: <text>}` instead of the text. Scalars are taken as written (`1.10` stays `1.10`). No aliases,
 * anchors or tags. Throws FILE_UNREADABLE or INVALID_INPUT.
 */
export async function readAnswersFile(path: string): Promise<GivenAnswers> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new KairosError(
      'FILE_UNREADABLE',
      `Cannot read the answers file ${path}: ${(cause as Error).message}`,
      {
        hint: 'Name a readable YAML or JSON file.',
        cause,
      },
    );
  }
  if (bytes.length > MAX_SIZE) throw unusable(path, 'it is larger than 1 MiB');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unusable(path, 'it is not UTF-8');
  }
  return parseAnswers(text, path);
}

/** The pure part of `readAnswersFile`; `path` is for messages. */
export async function parseAnswers(text: string, path: string): Promise<GivenAnswers> {
  if (nestsTooDeep(text)) throw unusable(path, 'it is nested more than 64 levels deep');
  const { parseDocument, isAlias, isMap, isScalar, visit } = await import('yaml');
  // The failsafe schema knows texts only: nothing turns into a number, a date or a truth value on the way.
  const document = parseDocument(text, { schema: 'failsafe' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw unusable(path, problem.message.split('\n')[0] ?? problem.message);
  visit(document, {
    Node(_key, node) {
      if (isAlias(node) || node.anchor !== undefined) throw unusable(path, 'it has an anchor or an alias');
      if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag))
        throw unusable(path, `it has a tag, ${node.tag}`);
    },
  });

  const root = document.contents;
  if (!isMap(root)) throw unusable(path, 'it is not a mapping with the key answers');
  const unknown = root.items.map(({ key }) => String(key)).filter((key) => key !== 'answers');
  if (unknown.length > 0) throw unusable(path, `it has unknown keys beside answers: ${unknown.join(', ')}`);
  const body = root.get('answers');
  if (!isMap(body)) throw unusable(path, 'answers is not a mapping');

  const given = new Map<string, string | ReadonlyMap<string, string>>();
  for (const { key, value } of body.items) {
    const name = String(key);
    if (isScalar(value)) given.set(name, String(value.value));
    else if (isMap(value)) given.set(name, new Map(value.items.map((item) => namedAnswer(item, name))));
    else throw unusable(path, `the answer to ${name} is neither a text nor a mapping`);
  }
  return given;

  function namedAnswer(item: { key: unknown; value: unknown }, of: string): [string, string] {
    if (!isScalar(item.value)) throw unusable(path, `the answer to ${of}, ${item.key}, is not a text`);
    return [String(item.key), String(item.value.value)];
  }
}

/** Checked on the text, before parsing: thousands of levels end the whole process inside the parser. */
function nestsTooDeep(text: string): boolean {
  let open = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > 64) return true;
  }
  return /^[ ?:-]{200}/m.test(text);
}

const PLAIN_TAGS = new Set(['tag:yaml.org,2002:map', 'tag:yaml.org,2002:str']);

function unusable(path: string, reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `The answers file ${path} cannot be used: ${reason}.`, {
    hint: 'Write a mapping like {answers: {1: yes, "Label of a step": an answer}}.',
  });
}
