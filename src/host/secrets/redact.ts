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
  return forms.some(({ form }) => text.includes(form)) || rules.some(holds);
}

/** A secret found in the buffer. One whose marker was already returned starts at a negative index. */
interface Span {
  start: number;
  end: number;
  name: string;
  /** Which names the marker when two start together: the lower one. */
  rank: number;
}

/** How far a rule has read the buffer, and the span that it may still prolong. */
interface RuleState {
  rule: TokenRule;
  rank: number;
  from: number;
  open: Span | null;
}

function startStream(forms: readonly SecretForm[], rules: readonly TokenRule[]): RedactionStream {
  const states: RuleState[] = rules.map((rule, i) => ({ rule, rank: forms.length + i, from: 0, open: null }));
  let buffer = '';
  /** Spans of rules that were found and not yet returned, and open ones. */
  let kept: Span[] = [];
  /** Number of characters at the start of the buffer that belong to a returned marker. */
  let covered = 0;

  function letGo(last: boolean): string {
    let cut = last ? buffer.length : buffer.length - heldForms(buffer, forms);
    for (const state of states) cut = Math.min(cut, readRule(state, buffer, kept, last));
    const spans = [...kept, ...findForms(buffer, forms)].sort((a, b) => a.start - b.start || a.rank - b.rank);

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
    const open = new Set(states.map((state) => state.open));
    kept = kept.filter((span) => span.start >= cut || open.has(span));
    for (const span of kept) {
      span.start -= cut;
      span.end -= cut;
    }
    for (const state of states) state.from = Math.max(state.from - cut, 0);
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

/** Every occurrence of every form, those that overlap included. */
function findForms(buffer: string, forms: readonly SecretForm[]): Span[] {
  return forms.flatMap(({ name, form }, rank) => {
    const spans: Span[] = [];
    for (let start = buffer.indexOf(form); start !== -1; start = buffer.indexOf(form, start + 1)) {
      spans.push({ start, end: start + form.length, name, rank });
    }
    return spans;
  });
}

/** How many characters at the end may be the beginning of a form. */
function heldForms(buffer: string, forms: readonly SecretForm[]): number {
  let held = 0;
  for (const { form } of forms) {
    const first = form.charAt(0);
    let start = buffer.indexOf(first, Math.max(buffer.length - form.length + 1, 0));
    while (start !== -1 && buffer.length - start > held) {
      if (form.startsWith(buffer.slice(start))) held = buffer.length - start;
      else start = buffer.indexOf(first, start + 1);
    }
  }
  return held;
}
