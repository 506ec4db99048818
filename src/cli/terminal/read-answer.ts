import { keyedOptions, type Option, type Question } from './question.ts';

export type Reading = { ok: true; value: string | boolean } | { ok: false; reason: string };

const YES = new Set(['y', 'yes', 'true']);
const NO = new Set(['n', 'no', 'false']);

/** Interprets a line as the answer to a question: typed, piped or from an answers file. */
export function readAnswer(question: Question, line: string): Reading {
  switch (question.kind) {
    case 'confirm':
      return readConfirmation(line, question.default);
    case 'choice':
    case 'action':
      return readOption(question.options, line, question.default);
    case 'phrase':
      if (line === question.phrase) return { ok: true, value: true };
      if (line === '') return { ok: true, value: false };
      return { ok: false, reason: 'That is not the phrase. Type it exactly, or press Enter to refuse.' };
    case 'text':
      return checked(line === '' ? (question.default ?? '') : line, question.check);
    case 'editor':
      return checked(line, question.check);
  }
}

function readConfirmation(line: string, fallback: boolean | undefined): Reading {
  const word = line.trim().toLowerCase();
  if (YES.has(word)) return { ok: true, value: true };
  if (NO.has(word)) return { ok: true, value: false };
  if (word === '' && fallback !== undefined) return { ok: true, value: fallback };
  return { ok: false, reason: 'Answer yes or no.' };
}

/** Exact value, then label, then key; then any of them ignoring case, if only one option matches. */
function readOption(options: readonly Option[], line: string, fallback: string | undefined): Reading {
  const typed = line.trim();
  if (typed === '' && fallback !== undefined) return { ok: true, value: fallback };
  const keyed = keyedOptions(options);
  const exact =
    keyed.find(({ value }) => value === typed) ??
    keyed.find(({ label }) => label === typed) ??
    keyed.find(({ key }) => key === typed);
  if (exact !== undefined) return { ok: true, value: exact.value };
  const folded = typed.toLowerCase();
  const loose = keyed.filter(({ value, label, key }) =>
    [value, label, key].some((name) => name.trim().toLowerCase() === folded),
  );
  if (loose.length === 1 && loose[0] !== undefined) return { ok: true, value: loose[0].value };
  return { ok: false, reason: `Answer one of: ${keyed.map(({ key }) => key).join(', ')}.` };
}

function checked(value: string, check: ((value: string) => true | string) | undefined): Reading {
  const verdict = check?.(value) ?? true;
  return verdict === true ? { ok: true, value } : { ok: false, reason: verdict };
}
