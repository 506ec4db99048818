import { posix } from 'node:path';
import { domainToUnicode } from 'node:url';
import { isObject } from '../../base/json.ts';
import { foreignJson } from '../../ledger/entry.ts';
import type { GateRule } from '../input.ts';
import { kernelTool } from '../kernel-request.ts';
import { foldedName, matchesName, PATTERN_MARK, TARGET_KEYS } from '../policy/rule-for.ts';
import { type ProposalField, proposalHash } from '../proposal.ts';
import { describeValue, pointerTo, type Violation, violations } from '../violation.ts';

const foreign = violations('K-PROP-109');

export const actorIdentity: GateRule = {
  code: 'K-PROP-109',
  title: 'actor is who submits the proposal',
  check: ({ fields, actor }) =>
    fields.actor === undefined || fields.actor === actor
      ? []
      : [foreign('/actor', `It is not the identity of the submitter, ${describeValue(actor)}.`)],
};

const reused = violations('K-PROP-110');

export const proposalReused: GateRule = {
  code: 'K-PROP-110',
  title: 'A proposal_id names one content, and a proposal is used once',
  check: ({ fields: { proposal_id: id }, reading, past, gated }) => {
    if (id === undefined || reading.value === null) return [];
    const hash = proposalHash(reading.value);
    // A later proposal under this id was rejected for it, and has no effect on the first.
    const first = past.find(({ proposalId }) => proposalId === id);
    const isThis =
      first?.hash === hash &&
      first.step === gated.step &&
      // An approval of the step isn't an approval of its rollback.
      first.rollback === (gated.rollsBack !== undefined);
    if (first !== undefined && !isThis)
      return [reused('/proposal_id', 'Another proposal of this run has it already.')];
    return first?.used === true
      ? [reused('/proposal_id', 'This proposal has been used. Make a new one to try again.')]
      : [];
  },
};

const otherTool = violations('K-PROP-119');

export const toolOfStep: GateRule = {
  code: 'K-PROP-119',
  title: 'The tool of a KernelRequest is the tool of the step',
  check: ({ reading, gated: { demand } }) => {
    const tool = kernelTool(reading.value);
    return tool === null || (demand.type === 'mcp' && demand.mcp.tool_name === tool)
      ? []
      : [otherTool('', 'The tool_call names another tool than the step uses.')];
  },
};

const secret = violations('K-PROP-120');

export const secretFree: GateRule = {
  code: 'K-PROP-120',
  title: 'A proposal contains no secret of this host',
  check: ({ reading: { value }, holdsSecret }) => {
    const found = secrets(value, '', holdsSecret);
    // What is recorded is one text: a secret in it must not be found only there, because redaction would change the proposal.
    return found.length === 0 && value !== null && holdsSecret(foreignJson(value))
      ? [secret('', 'It contains a secret, and proposals are recorded.')]
      : found;
  },
};

function secrets(value: unknown, pointer: string, holds: (text: string) => boolean): Violation[] {
  if (typeof value === 'string')
    return holds(value) ? [secret(pointer, 'It contains a secret, and proposals are recorded.')] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) =>
    // The pointer ends before the key, because it would repeat the secret.
    isObject(value) && holds(key)
      ? [secret(pointer, 'A key in it contains a secret, and proposals are recorded.')]
      : isObject(value) && typeof item === 'string' && holds(foreignJson({ [key]: item }))
        ? [secret(pointerTo(pointer, key), 'It contains a secret, and proposals are recorded.')]
        : secrets(item, pointerTo(pointer, key), holds),
  );
}

const disguised = violations('K-PROP-136');

export const namesPlain: GateRule = {
  code: 'K-PROP-136',
  title: 'The names of the target are what they look like',
  check: ({ parts: { target }, policy, tools: { patterns } }) =>
    TARGET_KEYS.flatMap((key) => {
      const name = target[key];
      if (name === undefined) return [];
      const pointer = pointerTo('/target', key);
      if (name !== name.trim() || HIDDEN.test(name))
        return [disguised(pointer, 'It begins or ends with a blank, or contains a hidden character.')];
      if (LATIN.test(name) && LOOKALIKE_SCRIPTS.test(name))
        return [disguised(pointer, 'It mixes Latin letters with letters of a script that look like them.')];
      const names = policy?.policy.rules.flatMap(({ match }) => match[key] ?? []) ?? [];
      const isLiteral = (one: string) => !one.startsWith(PATTERN_MARK);
      if (names.some((one) => isLiteral(one) && foldedName(one) === foldedName(name))) return [];
      const plain = plainName(key, name);
      const looks = [plain, name.replaceAll('I', 'l')].map(skeleton);
      if (names.some((one) => isLiteral(one) && looks.includes(skeleton(one))))
        return [disguised(pointer, 'It looks like a name of the policy and is not spelt like it.')];
      if (names.some((one) => isLiteral(one) && (core(one) === core(plain) || isWildcardFor(name, one))))
        return [
          disguised(pointer, 'It is a name of the policy with other marks around it, or stands for it.'),
        ];
      return names.some(
        (one) =>
          !matchesName(one, name, patterns) &&
          [plain, latinLetters(plain)].some((other) => matchesName(one, other, patterns)),
      )
        ? [disguised(pointer, 'It is another spelling of a name that the policy has a rule for.')]
        : [];
    }),
};

/**
 * A name without what programs ignore when they look it up: percent encoding, other dashes and dots, and of a domain everything
 * but the host, of other names the detours of a path.
 */
function plainName(key: (typeof TARGET_KEYS)[number], name: string): string {
  const text = foldedName(decoded(name))
    .replace(/\p{Pd}/gu, '-')
    .replace(/。/g, '.')
    .replace(/\s+/g, ' ');
  if (key !== 'domain') return text.includes('/') ? posix.normalize(text).replace(/(?<=.)\/+$/, '') : text;
  const host = text
    .replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/\.{2,}/g, '.')
    .replace(/\.$/, '');
  return host.includes('xn--') ? domainToUnicode(host) || host : host;
}

/** A name without the marks around it, such as slashes, quotes, brackets and control characters. */
function core(name: string): string {
  const text = skeleton(name).replace(/\\/g, '/');
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || text;
}

/** Whether programs that know wildcards would find a name of the policy by this one. */
function isWildcardFor(name: string, literal: string): boolean {
  return /[*?]/.test(name) && globMatches([...foldedName(name)], [...foldedName(literal)]);
}

/** `*` any characters, `?` one or none; in time that grows with the product of both lengths. */
function globMatches(glob: readonly string[], text: readonly string[]): boolean {
  let reached = [true, ...text.map(() => false)];
  for (const mark of glob) {
    const next = reached.map(
      (was, at) =>
        (mark === '?' && was) || (at > 0 && reached[at - 1]! && (mark === '?' || mark === text[at - 1])),
    );
    if (mark === '*')
      for (let at = 0; at < next.length; at += 1) next[at] = reached[at]! || (at > 0 && next[at - 1]!);
    reached = next;
  }
  return reached.at(-1)!;
}

/** Latin letters that look like plain ones (ı, ɡ) as those, also an i with a separate dot. */
function latinLetters(name: string): string {
  if (!LATIN.test(name)) return name;
  const letters = [
    ...name
      .normalize('NFD')
      .replace(/\u0307/g, '')
      .normalize('NFC'),
  ];
  return letters.map((letter) => (letter > '\u007f' ? (LOOKALIKES[letter] ?? letter) : letter)).join('');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]/u;
const LATIN = /\p{Script=Latin}/u;
const LOOKALIKE_SCRIPTS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;

/** Letters of other scripts that look like a Latin one, lower case (of the confusables of Unicode TS 39 those used in names). */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...pairs('аеорсухіјѕһԁԛԝкмнтвгпи', 'aeopcyxijshdqwkmhtbrnu'),
  ...pairs('αβγεικνορτυχωηςσ', 'abyeikvoptuxwnss'),
  ...pairs('օսհոցգաեւ', 'ouhngqwtu'),
  ...pairs('ıɑɡℓ', 'iagl'),
  ...pairs('01|', 'oll'),
};

function pairs(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((letter, at) => [letter, [...to][at]!]));
}

/** What is left of a name for the eye: no accents, no case, look-alikes as the Latin letter. */
function skeleton(name: string): string {
  const bare = foldedName(name).normalize('NFKD').replace(/\p{M}/gu, '');
  return [...bare].map((letter) => LOOKALIKES[letter] ?? letter).join('');
}

/** The required fields have their shape: one rule each, every place in the field that is missing or mistyped. */
export const FIELD_RULES: readonly GateRule[] = (
  [
    ['V-PROP-001', 'proposal_id', 'proposal_id must be a non-empty string.'],
    ['V-PROP-002', 'ts_ms', 'ts_ms must be a positive integer.'],
    ['V-PROP-003', 'actor', 'actor must be a non-empty string.'],
    ['V-PROP-004', 'action_type', 'action_type must be one of the ActionType values.'],
    [
      'V-PROP-005',
      'target',
      'target must have resource_type, resource_id, domain and constraints, each of its type.',
    ],
    ['V-PROP-006', 'parameters', 'parameters must be an object of JSON values.'],
  ] as const
).map(([code, field, message]) => ({
  code,
  title: message.replace(/\.$/, ''),
  check: ({ reading }) =>
    reading.raw === null
      ? []
      : (reading.problems.get(field)?.wrong ?? []).map((pointer) => violations(code)(pointer, message)),
}));

const unknown = violations('K-PROP-106');

export const unknownField: GateRule = {
  code: 'K-PROP-106',
  title: 'No field is there that the schema does not have',
  check: ({ reading }) =>
    [...reading.problems.values()]
      .flatMap((problems) => problems.unknown)
      .map((pointer) => unknown(pointer, 'The schema has no such field.')),
};

const mistyped = violations('K-PROP-107');

const OPTIONAL: ProposalField[] = [
  'preconditions',
  'risk_envelope',
  'rollback_semantics',
  'time_window',
  'approval_class',
  'evidence_bindings',
  'effects',
];

export const optionalField: GateRule = {
  code: 'K-PROP-107',
  title: 'An optional field that is given has its whole shape',
  check: ({ reading }) =>
    OPTIONAL.flatMap((field) => reading.problems.get(field)?.wrong ?? []).map((pointer) =>
      mistyped(pointer, 'It is missing, or not of its type.'),
    ),
};
