import { DOUBTFUL_NAME_SCORE, nameMatch, type SearchDocument, termCounts } from './document.ts';
import { type ResolvedPhrasing, type ResolvedTerm, SLIP_FACTOR, type Variant } from './resolve.ts';
import { STRETCH_WORDS } from './words.ts';

/** How well one chain and one phrasing fit by words. */
export interface WordEvidence {
  /** 1: the phrasing is a title or slug, 0.98: a trigger, 0.88 and 0.5: a name with one slip; else 0. */
  called: number;
  /** Strength of the shared words. It grows with each word, and never falls when the phrasing grows. */
  strength: number;
  /** Whether the shared words are enough to list the chain. */
  matches: boolean;
  /** Whether they carry the subject of the request, so that the chain may stand clear. */
  subject: boolean;
  /** As `subject`, but only together with meaning. */
  hint: boolean;
  /** Whether the request is for something else with the same object: "delete a database", "restore a database". */
  otherTask: boolean;
  /** Words of the phrasing that the chain contains, as typed. */
  words: string[];
  /** The title, slug or trigger that the phrasing comes nearest to; null when it shares no word with any. */
  phrase: string | null;
}

/** BM25F's constants for name, summary and body: weight, and pivot length in words. */
const WEIGHTS = [8, 3, 1] as const;
const PIVOTS = [Number.POSITIVE_INFINITY, 80, 250] as const;
const B = 0.75;
const K1 = 2;

/** Strength of one rare word in a title. Meaning contributes at most about 2. */
const WORD_WORTH = 0.4;
/** Exponent that gives less specific words a little more than their share. */
const DAMPING = 0.7;
/** Added when the request contains a whole title or trigger, word after word. */
const HELD_WORTH = 1;
/** The least number of words for that. */
const HELD_MIN = 2;
/** Below this sum, shared words outside names can be chance. */
const MATCH_MIN = 0.25;
/** A request is about a title or trigger when it covers this share of it, with this many words. */
const SUBJECT_COVER = 0.5;
const SUBJECT_WORDS = 2;
/** A request that has more words than the phrase and this many is not judged by its first and last word. */
const OTHER_MORE = 1;
/** A request with more words than this share of the phrase's has many that have nothing to do with it. */
const LONG_SHARE = 2;
/** Or, if meaning agrees, when it shares this many words with name, triggers and description. */
const HINT_WORDS = 3;

/**
 * Returns how well one chain fits one phrasing by words. Each term of the phrasing that the chain contains adds to the
 * strength: its saturation as in BM25F (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to multiple weighted
 * fields", CIKM 2004), weighted by how specific it is.
 *
 *     tf(t)    = sum over fields of weight * count / (1 - b + b * max(1, length / pivot))
 *     strength = 0.4 * sum of (w(t) * tf(t) / (k1 + tf(t))) ^ 0.7              w(t) = 1 / (1 + ln(df) / 2)
 *
 * Other terms of the phrasing subtract nothing. A phrasing that contains a whole title or trigger, without its stop words,
 * gets 1 more. Chains that share no term with it change nothing. Of a long phrasing, the best `STRETCH_WORDS` words in a row
 * count, wherever they begin: so a longer request never loses a match, and a file sent as one does not match everything.
 */
export function wordEvidence(phrasing: ResolvedPhrasing, document: SearchDocument): WordEvidence {
  const called = nameMatch(phrasing, document);
  const found = new Map<ResolvedTerm, FoundTerm>();
  for (const term of phrasing.terms) {
    const one = foundTerm(term, document);
    if (one !== null) found.set(term, one);
  }
  const stretches = stretchesOf(phrasing.sequence, found).map((sequence) =>
    stretchEvidence(sequence, found, document),
  );
  const best = stretches.reduce((most, each) => (each.strength > most.strength ? each : most), NOTHING);
  return {
    ...best,
    called,
    strength: Math.max(strengthOf(called), best.strength),
    matches: called > 0 || stretches.some(({ matches }) => matches),
    subject: called > DOUBTFUL_NAME_SCORE || stretches.some(({ subject }) => subject),
    hint: stretches.some(({ hint }) => hint),
  };
}

type Sequence = ResolvedPhrasing['sequence'];
type StretchEvidence = Omit<WordEvidence, 'called'>;

const NOTHING: StretchEvidence = {
  strength: 0,
  matches: false,
  subject: false,
  hint: false,
  otherTask: false,
  words: [],
  phrase: null,
};

/** All of a short phrasing; else the words from each found one on, without those that add no found word. */
function stretchesOf(sequence: Sequence, found: ReadonlyMap<ResolvedTerm, FoundTerm>): Sequence[] {
  if (found.size === 0) return [];
  if (sequence.length <= STRETCH_WORDS) return [sequence];
  const at = sequence.flatMap((term, place) => (term !== null && found.has(term) ? [place] : []));
  const stretches: Sequence[] = [];
  let end = 0;
  for (const start of at) {
    const before = end;
    while (end < at.length && (at[end] as number) < start + STRETCH_WORDS) end += 1;
    if (end > before) stretches.push(sequence.slice(start, start + STRETCH_WORDS));
  }
  return stretches;
}

function stretchEvidence(
  sequence: Sequence,
  all: ReadonlyMap<ResolvedTerm, FoundTerm>,
  document: SearchDocument,
): StretchEvidence {
  const content = sequence.filter((term) => term !== null);
  const terms = [...new Set(content)].filter((term) => all.has(term));
  const found = terms.map((term) => all.get(term) as FoundTerm);
  const sum = found.reduce((total, { said }) => total + said, 0);
  const nearest = nearestPhrase(terms, content, document);
  const held = nearest?.held === true;
  const prominent = found.filter(({ field }) => field < 2).length;
  const subject = nearest !== null && nearest.words >= SUBJECT_WORDS && nearest.cover >= SUBJECT_COVER;
  const otherTask = nearest !== null && !held && isAnotherTask(nearest, content, all);
  const damped = found.reduce((total, { said }) => total + said ** DAMPING, 0);
  return {
    strength: WORD_WORTH * damped + (held ? HELD_WORTH : 0),
    matches: sum >= MATCH_MIN || found.some(({ field }) => field === 0),
    subject: held || (subject && !otherTask && namesTask(nearest, content)),
    hint: nearest !== null && !otherTask && nearest.words >= 1 && prominent >= HINT_WORDS,
    otherTask,
    words: found.map(({ word }) => word),
    phrase: nearest?.stems.join(' ') ?? null,
  };
}

/** The strength that a score stands for; see `scoreOf`. */
export function strengthOf(score: number): number {
  return score >= 1 ? Number.POSITIVE_INFINITY : -Math.log(1 - score);
}

/** Independent pieces of evidence add up to a score that comes near 1 and never reaches it. */
export function scoreOf(strength: number): number {
  return 1 - Math.exp(-strength);
}

interface FoundTerm {
  word: string;
  /** Its strength, 0 to 1. */
  said: number;
  /** The most prominent field that contains it. */
  field: number;
}

function foundTerm(term: ResolvedTerm, document: SearchDocument): FoundTerm | null {
  let best: FoundTerm | null = null;
  for (const variant of term.variants) {
    const said = term.weight * saturation(variant, document);
    if (said > (best?.said ?? 0)) best = { word: term.word, said, field: fieldOf(variant, document) };
  }
  return best;
}

/** All stems of a variant must be there; the weakest counts. */
function saturation({ stems, factor, nameOnly }: Variant, document: SearchDocument): number {
  const frequencies = stems.map((stem) => {
    const counts = termCounts(document, stem) ?? [];
    return weightedFrequency(nameOnly ? counts.slice(0, 1) : counts, document);
  });
  return saturated(Math.min(...frequencies), factor);
}

/** How often a word is in a document, weighted by field. `counts`: in name, summary and body. */
export function weightedFrequency(counts: readonly number[], { lengths }: SearchDocument): number {
  let tf = 0;
  for (const [field, count] of counts.entries()) {
    const length = (lengths[field] ?? 0) / (PIVOTS[field] ?? 1);
    tf += ((WEIGHTS[field] ?? 0) * count) / (1 - B + B * Math.max(1, length));
  }
  return tf;
}

/** A weighted frequency as a share of `most`: each repetition adds less. */
export function saturated(tf: number, most: number): number {
  return (most * tf) / (K1 + tf);
}

function fieldOf({ stems }: Variant, document: SearchDocument): number {
  const fields = stems.map(
    (stem) => termCounts(document, stem)?.findIndex((count) => count > 0) ?? WEIGHTS.length,
  );
  return Math.max(...fields);
}

/**
 * Whether a short request and the nearest phrase ask for different things: "delete a database", "restore a database". The
 * verb comes first or last, in most languages: so both have a word there that the other lacks, in the request one that the
 * chain does not contain at all.
 */
function isAnotherTask(
  { stems, covered }: NearestPhrase,
  content: readonly ResolvedTerm[],
  found: ReadonlyMap<ResolvedTerm, FoundTerm>,
): boolean {
  if (content.length > stems.length + OTHER_MORE) return false;
  const edges = [content[0], content.at(-1)];
  return (
    edges.some((term) => term !== undefined && !found.has(term)) &&
    [stems[0], stems.at(-1)].some((stem) => stem !== undefined && !covered.has(stem))
  );
}

/**
 * Whether a request names the task of a phrase and not only its object. A long one shares two words by chance: "refactor the load balancer
 * config" and "drain a load balancer". So it must have the first and the last word of the phrase, where the verb is.
 */
function namesTask({ stems, covered }: NearestPhrase, content: readonly ResolvedTerm[]): boolean {
  const isLong = content.length > LONG_SHARE * stems.length;
  return !isLong || [stems[0], stems.at(-1)].every((stem) => covered.has(stem!));
}

interface NearestPhrase {
  stems: readonly string[];
  /** Those that the request shares. */
  covered: ReadonlySet<string>;
  /** How many of its words the request shares. A variant counts with its factor. */
  words: number;
  /** The share of it that the request covers. Shared words count by how specific they are, other words in full. */
  cover: number;
  /** Whether the request contains all of it in a row. */
  held: boolean;
}

function nearestPhrase(
  terms: readonly ResolvedTerm[],
  content: readonly ResolvedTerm[],
  document: SearchDocument,
): NearestPhrase | null {
  let nearest: NearestPhrase | null = null;
  for (const stems of document.phrases) {
    const covered = new Set<string>();
    let words = 0;
    let telling = 0;
    for (const { variants, weight } of terms) {
      const found = variants.find((variant) => variant.stems.every((stem) => stems.includes(stem)));
      if (found === undefined) continue;
      words += found.factor;
      telling += found.factor * weight;
      for (const stem of found.stems) covered.add(stem);
    }
    if (words === 0) continue;
    const cover = telling / (telling + stems.length - covered.size);
    const held = stems.length >= HELD_MIN && covered.size === stems.length && isHeld(stems, content);
    if (nearest !== null && rankOf({ held, cover, words }) <= rankOf(nearest)) continue;
    nearest = { stems, covered, words, cover, held };
  }
  return nearest;
}

function rankOf({ held, cover, words }: Pick<NearestPhrase, 'held' | 'cover' | 'words'>): number {
  return (held ? 2 : 0) + cover * Math.min(1, words / SUBJECT_WORDS);
}

/** A word with one slip counts as the word. */
function isHeld(stems: readonly string[], content: readonly ResolvedTerm[]): boolean {
  return content.some((_, from) =>
    stems.every((stem, at) =>
      content[from + at]?.variants.some(
        ({ stems: [one, ...more], factor }) => one === stem && more.length === 0 && factor >= SLIP_FACTOR,
      ),
    ),
  );
}
