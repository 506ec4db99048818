import type { TokenRule } from '../../base/token-rule.ts';
import { tokenRules } from '../../base/token-rules.ts';
import { formsOfValues, type SecretEnvironment, type SecretForm, secretForms } from './secret-values.ts';

/** Replaces every secret with `[redacted:<name>]`, before a text is stored or shown (SPEC 5). */
export interface Redactor {
  /** A whole text. */
  redact(text: string): string;
  /** Redacts a text in pieces. The results join to the same text as `redact` of the whole, for any split. */
  stream(): RedactionStream;
  /** From now on these values are secrets as well, under any name. `isWhole`: their lines alone are not. */
  learn(values: Readonly<Record<string, string>>, isWhole?: boolean): void;
}

interface RedactionStream {
  /** The text that can be released by now. A possible beginning of a secret is kept back. */
  push(piece: string): string;
  /** The rest. */
  end(): string;
}

/**
 * Redacts the values of secret-named variables of the environments (at least 6 characters; also JSON-escaped, URL-encoded, in
 * base64), then tokens of well-known shapes. Secrets that overlap or touch each other's characters fall together.
 */
export function makeRedactor(...environments: SecretEnvironment[]): Redactor {
  const forms = secretForms(...environments);
  const known = new Set<string>();
  const stream = () => startStream(forms, tokenRules());
  return {
    stream,
    learn(values, isWhole) {
      for (const form of formsOfValues(values, isWhole)) {
        if (known.has(form.form)) continue;
        known.add(form.form);
        forms.push(form);
      }
      forms.sort((a, b) => b.form.length - a.form.length);
    },
    redact(text) {
      // Nearly every text contains no secret and is then read once for each rule.
      if (!holdsSecret(text, forms, tokenRules())) return text;
      const whole = stream();
      return whole.push(text) + whole.end();
    },
  };
}

type Values = Readonly<Record<string, string>>;

/** Secret values of runs, kept in memory and redacted everywhere from the moment they are known. */
export function runSecrets(redactor: () => Redactor) {
  const byRun = new Map<string, Values>();
  return {
    of: (runId: string): Values => byRun.get(runId) ?? {},
    learn(runId: string, values: Values, hidden: Values = {}): void {
      if (Object.keys({ ...values, ...hidden }).length === 0) return;
      byRun.set(runId, { ...byRun.get(runId), ...values, ...hidden });
      redactor().learn(values);
      redactor().learn(hidden, true);
    },
    redactAlso(values: Values): (text: string) => string {
      if (Object.keys(values).length === 0) return (text) => redactor().redact(text);
      const more = makeRedactor({});
      more.learn(values);
      return (text) => redactor().redact(more.redact(text));
    },
  };
}

function holdsSecret(text: string, forms: readonly SecretForm[], rules: readonly TokenRule[]): boolean {
  // From the start, because these expressions continue where they ended.
  const holds = ({ whole }: TokenRule) => text.search(whole) !== -1;
  // The beginning of a form is enough to look closer: a search for all of a long one is slow where much of it repeats.
  return forms.some(({ form }) => text.includes(headOf(form))) || rules.some(holds);
}

/** A secret found in the buffer. One whose marker was already returned starts at a negative index. */
interface Span {
  start: number;
  end: number;
  name: string;
  /** When two start together, the lower one names the marker. */
  rank: number;
}

/** How far a rule has read the buffer, and the span that it may still prolong. */
interface RuleState {
  rule: TokenRule;
  rank: number;
  from: number;
  open: Span | null;
}

function startStream(known: readonly SecretForm[], rules: readonly TokenRule[]): RedactionStream {
  const states: RuleState[] = rules.map((rule, i) => ({ rule, rank: known.length + i, from: 0, open: null }));
  const read = new Map<SecretForm, FormState>();
  let buffer = '';
  /** Spans that were found and not yet returned, and open ones. */
  let kept: Span[] = [];
  /** Number of characters at the start of the buffer that belong to a returned marker. */
  let covered = 0;

  function letGo(last: boolean): string {
    // A form may be learnt while the text is read.
    for (const [rank, secret] of known.entries())
      if (!read.has(secret)) read.set(secret, { secret, rank, from: 0, matched: 0, open: null });
    const forms = [...read.values()];
    for (const form of forms) readForm(form, buffer, kept);
    const held = forms.reduce((most, { matched }) => Math.max(most, matched), 0);
    let cut = last ? buffer.length : buffer.length - held;
    for (const state of states) cut = Math.min(cut, readRule(state, buffer, kept, last));
    const spans = [...kept].sort((a, b) => a.start - b.start || a.rank - b.rank);

    let out = '';
    let at = covered;
    for (const span of spans) {
      if (span.start >= at && span.start >= cut) break;
      if (span.start >= at) out += `${buffer.slice(at, span.start)}[redacted:${span.name}]`;
      at = Math.max(at, span.end);
    }
    if (at < cut) out += buffer.slice(at, cut);
    covered = Math.max(at - cut, 0);

    buffer = buffer.slice(cut);
    const open = new Set([...states, ...forms].map((state) => state.open));
    kept = kept.filter((span) => span.start >= cut || open.has(span));
    for (const span of kept) {
      span.start -= cut;
      span.end -= cut;
    }
    for (const state of [...states, ...forms]) state.from = Math.max(state.from - cut, 0);
    return out;
  }

  return {
    push(piece) {
      buffer += piece;
      return letGo(false);
    },
    end: () => letGo(true),
  };
}

/** Adds what the rule finds to `spans`. Returns where a secret may begin whose end has not come yet. */
function readRule(state: RuleState, buffer: string, spans: Span[], last: boolean): number {
  const { rule, open } = state;
  if (open !== null && rule.more !== null) {
    rule.more.lastIndex = state.from;
    if (rule.more.test(buffer)) open.end = state.from = rule.more.lastIndex;
    if (state.from === buffer.length) return buffer.length;
    state.open = null;
  }
  let hold = last ? buffer.length : findBeginning(rule, buffer, state.from);
  for (;;) {
    rule.whole.lastIndex = state.from;
    const match = rule.whole.exec(buffer);
    if (match === null || hold <= match.index) break;
    const [found, before = '', secret = ''] = match;
    const start = match.index + before.length;
    const span: Span = { start, end: start + secret.length, name: rule.name, rank: state.rank };
    spans.push(span);
    state.from = match.index + found.length;
    if (rule.more !== null && span.end === buffer.length) {
      state.open = span;
      return buffer.length;
    }
    if (hold < state.from) hold = findBeginning(rule, buffer, state.from);
  }
  // Up to the kept-back place, the rule found nothing more.
  state.from = Math.max(state.from, hold);
  return hold;
}

function findBeginning(rule: TokenRule, buffer: string, from: number): number {
  rule.beginning.lastIndex = Math.max(from, buffer.length - rule.reach);
  return rule.beginning.exec(buffer)?.index ?? buffer.length;
}

/** How far a form was searched for in the buffer: this many of its characters are at the end of what was read. */
interface FormState {
  secret: SecretForm;
  rank: number;
  from: number;
  matched: number;
  /** The last occurrence, which one that overlaps it prolongs. */
  open: Span | null;
}

/**
 * Adds every occurrence of a form to `spans`, and notes how much of a next one the buffer ends with. Reads each character a
 * limited number of times (Knuth, Morris and Pratt), however often the form and the text repeat themselves.
 */
function readForm(state: FormState, buffer: string, spans: Span[]): void {
  const { secret, rank } = state;
  const { form, name } = secret;
  const head = headOf(form);
  while (state.from < buffer.length) {
    if (state.matched === 0) {
      // Most texts have no more of it: the search for its beginning is the fastest.
      const start = buffer.indexOf(head, state.from);
      state.from = start === -1 ? Math.max(state.from, buffer.length - head.length + 1) : start;
      if (state.from === buffer.length) return;
    }
    const lengths = bordersOf(secret);
    const code = buffer.charCodeAt(state.from);
    while (state.matched > 0 && form.charCodeAt(state.matched) !== code)
      state.matched = lengths[state.matched - 1]!;
    if (form.charCodeAt(state.matched) === code) state.matched += 1;
    state.from += 1;
    if (state.matched < form.length) continue;
    const [start, end] = [state.from - form.length, state.from];
    if (state.open !== null && start < state.open.end) state.open.end = end;
    else {
      state.open = { start, end, name, rank };
      spans.push(state.open);
    }
    state.matched = lengths[form.length - 1]!;
  }
}

function headOf(form: string): string {
  return form.slice(0, 16);
}

const borders = new WeakMap<SecretForm, Int32Array>();

/** For each beginning of a form: the length of the longest shorter beginning that it ends with. */
function bordersOf(secret: SecretForm): Int32Array {
  const known = borders.get(secret);
  if (known !== undefined) return known;
  const { form } = secret;
  const lengths = new Int32Array(form.length);
  for (let at = 1, length = 0; at < form.length; at += 1) {
    const code = form.charCodeAt(at);
    while (length > 0 && form.charCodeAt(length) !== code) length = lengths[length - 1]!;
    if (form.charCodeAt(length) === code) length += 1;
    lengths[at] = length;
  }
  borders.set(secret, lengths);
  return lengths;
}
