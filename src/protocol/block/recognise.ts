import { isObject } from '../../base/json.ts';
import { findTooDeep, parseJson } from '../../formats/json/parse.ts';
import { plainYaml } from '../frontmatter.ts';
import { lazy } from '../late.ts';
import type { Place, Problem } from '../model.ts';
import { MAX_NESTING } from '../terms.ts';
import {
  areBlockKeys,
  beginsWithDemand,
  DEMAND_MAPPING,
  DEMAND_OBJECT,
  isStepBlock,
  mayBeStepBlock,
  meantBy,
  mistakenKey,
  resemblesJson,
  resemblesYaml,
} from './demand.ts';
import { almostShorthand, type Fence, isShorthand, readShorthand } from './fence.ts';
import type { Locator } from './value.ts';

/** What a fenced block turned out to be. */
export type FenceReading =
  | { kind: 'content' }
  | {
      kind: 'demand';
      format: 'json' | 'yaml' | 'shorthand';
      raw: Record<string, unknown>;
      loadLocator: () => Locator;
      problems: Problem[];
    }
  /** It makes a demand, but in a way that cannot be used. */
  | { kind: 'broken'; problems: Problem[] };

type MakePlace = (start: number, end: number) => Place;

const CONTENT: FenceReading = { kind: 'content' };

/** Separates step blocks from other code. `place` makes places from offsets in the source. */
export function recognise(fence: Fence, place: MakePlace): FenceReading {
  const { text, closed, language, meta } = fence;
  if (meta !== '' && isShorthand(language, meta)) {
    if (!closed) return broken('block-unclosed-fence', fence.opening);
    const { raw, locator, problems } = readShorthand(fence, place);
    return { kind: 'demand', format: 'shorthand', raw, loadLocator: () => locator, problems };
  }
  const almost = meta === '' ? undefined : almostShorthand(language, meta);
  if (almost !== undefined)
    return broken('block-wrong-language', fence.place, { language, expected: almost });
  if (!mayBeStepBlock(text)) return closed ? CONTENT : broken('fence-unclosed', fence.opening);
  const inText: MakePlace = (start, end) => place(fence.toSource(start), fence.toSource(end));
  const reading = readByLanguage(fence, inText);
  if (closed) return reading;
  const isDemand = reading.kind !== 'content' || DEMAND_OBJECT.test(text);
  return broken(isDemand ? 'block-unclosed-fence' : 'fence-unclosed', fence.opening);
}

function readByLanguage(fence: Fence, place: MakePlace): FenceReading {
  switch (fence.language.toLowerCase()) {
    case 'json':
      return readJson(fence, place);
    case 'yaml':
      return readYaml(fence, place);
    default:
      return readOther(fence);
  }
}

function readJson(fence: Fence, place: MakePlace): FenceReading {
  const { text } = fence;
  const parsed = parseJson(text);
  const isDemand = parsed === undefined ? resemblesJson(text) : isStepBlock(parsed.value);
  const isShallow = parsed !== undefined && !parsed.hasDuplicates && parsed.depth <= MAX_NESTING;
  const deep = isShallow ? -1 : findTooDeep(text, MAX_NESTING);
  // The code that finds places inside a text is recursive, so deeper text must not reach it.
  if (deep !== -1)
    return isDemand ? broken('document-too-deep', place(deep, deep + 1), { what: 'json' }) : CONTENT;
  if (parsed === undefined) return isDemand ? unreadableJson(text, place) : CONTENT;
  const loadLocator = () => lazy('jsonPlaces').jsonLocator(text, place);
  if (!isStepBlock(parsed.value)) return mistaken(parsed.value, fence, loadLocator);
  const demand = {
    kind: 'demand' as const,
    format: 'json' as const,
    raw: parsed.value,
    loadLocator,
    problems: [],
  };
  return parsed.hasDuplicates ? withDuplicates(demand, text, place) : demand;
}

function unreadableJson(text: string, place: MakePlace): FenceReading {
  const { jsonError } = lazy('jsonPlaces');
  const { fault, start, end } = jsonError(text);
  return broken('block-unreadable', place(start, end), {
    format: 'json',
    fault,
    found: text.slice(start, end),
  });
}

function withDuplicates(
  demand: Extract<FenceReading, { kind: 'demand' }>,
  text: string,
  place: MakePlace,
): FenceReading {
  const { duplicateKeys } = lazy('jsonPlaces');
  const problems = duplicateKeys(text).map(({ key, start, end }) =>
    problem('block-invalid', place(start, end), { issue: 'duplicate-key', path: key }),
  );
  return { ...demand, problems };
}

function readYaml(fence: Fence, place: MakePlace): FenceReading {
  const { text } = fence;
  const plain = plainYaml(text);
  if (plain !== null && isStepBlock(plain)) {
    const loadLocator = () => {
      const { readPlaces } = lazy('yaml');
      return readPlaces(text, place);
    };
    return { kind: 'demand', format: 'yaml', raw: plain, loadLocator, problems: [] };
  }
  const { readYaml: read } = lazy('yaml');
  const result = read(text);
  if ('error' in result) {
    if (!resemblesYaml(text)) return CONTENT;
    const { fault, detail, start, end } = result.error;
    if (fault === 'nesting') return broken('document-too-deep', place(start, end), { what: 'yaml' });
    return broken('block-unreadable', place(start, end), { format: 'yaml', fault, found: detail });
  }
  const loadLocator = () => result.locate(place);
  if (!isStepBlock(result.value)) return mistaken(result.value, fence, loadLocator);
  return { kind: 'demand', format: 'yaml', raw: result.value, loadLocator, problems: [] };
}

/** A value that isn't a step block, but seems to have been meant as one. */
function mistaken(value: unknown, fence: Fence, loadLocator: () => Locator): FenceReading {
  if (Array.isArray(value) && value.some(isStepBlock)) {
    return broken('block-invalid', fence.valuePlace, { issue: 'array', path: '' });
  }
  const key = mistakenKey(value);
  if (key === undefined) return CONTENT;
  const place = loadLocator().key([key]);
  return broken('block-unknown-key', place, {
    key,
    path: '',
    suggestion: meantBy(key) ?? 'proof_of_work',
    known: BLOCK_KEYS.join(', '),
  });
}

const BLOCK_KEYS = ['proof_of_work', 'outputs', 'sampling', 'proposal', 'captures'];
/**
 * Languages under which people write JSON or YAML without thinking of the tag; all others mean what they
 * name.
 */
const LOOSE = /^(?:|h?json.*|ndjson|ya?ml.*|te?xt|plain(?:text)?|js|javascript|ts|typescript)$/;

/** A step block under another tag than `json` or `yaml`, or under none. */
function readOther(fence: Fence): FenceReading {
  const { text, language, place } = fence;
  const loose = LOOSE.test(language.toLowerCase());
  if (/^\s*\{/.test(text)) {
    const parsed = parseJson(text);
    const isMeant = parsed === undefined ? loose && beginsWithDemand(text) : isNothingElse(parsed.value);
    return isMeant ? broken('block-wrong-language', place, { language, expected: 'json' }) : CONTENT;
  }
  if (!loose || !beginsWithDemand(text)) return CONTENT;
  const expected = DEMAND_MAPPING.exec(text.trimStart())?.index === 0 ? 'yaml' : 'json';
  return broken('block-wrong-language', place, { language, expected });
}

function isNothingElse(value: unknown): boolean {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  return areBlockKeys(keys) && keys.every((key) => key === 'challenge' || BLOCK_KEYS.includes(key));
}

function broken(code: Problem['code'], place: Place, args: Problem['args'] = {}): FenceReading {
  return { kind: 'broken', problems: [problem(code, place, args)] };
}

function problem(code: Problem['code'], place: Place, args: Problem['args']): Problem {
  return { code, severity: 'error', place, args };
}
