import { tokenRulesFor } from '../../base/token-rules.ts';
import type { LintRule } from '../rule.ts';

export const secretInText: LintRule = {
  id: 'secret-in-text',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol contains no key, token or password.',
  why: 'Protocols are committed, minted, searched and shown to agents, and every revision is kept. Every reader of one of these gets the secret, and a change of the text does not revoke it.',
  alwaysOn: true,
  check(context) {
    const { source } = context;
    let end = 0;
    for (const { name, start, stop } of secretsIn(source)) {
      if (start < end) continue;
      end = stop;
      context.report({
        place: context.place(start, stop),
        reason: `This looks like a secret (${name}). Revoke it where it was issued, and let the command read a new one from an input with "secret": true.`,
      });
    }
  },
};

/** A secret in a text. Offsets in UTF-16 units, half-open. */
interface FoundSecret {
  /** The kind, for example `github-token`. */
  name: string;
  start: number;
  stop: number;
}

/**
 * Finds what looks like keys, tokens and passwords, in the order of the text: tokens by their shape, and passwords in the usual
 * places of commands. Words of examples, variables and code don't count. Needs linear time.
 */
function secretsIn(source: string): FoundSecret[] {
  const found = [...tokensIn(source), ...passwordsIn(source)];
  return found.length < 2 ? found : found.sort((a, b) => a.start - b.start || b.stop - a.stop);
}

/** Kinds that are known by the words around them only, so that the value itself has to look like a secret. */
const WEAK: ReadonlySet<string> = new Set(['authorization', 'bearer-token', 'npm-token', 'slack-webhook']);

function tokensIn(source: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { name, whole } of tokenRulesFor(source)) {
    for (const match of source.matchAll(whole)) {
      const [, before = '', secret = ''] = match;
      const start = match.index + before.length;
      const after = source.slice(start + secret.length, start + secret.length + 80);
      if (isStandIn(secret) || isExample(name, secret, after)) continue;
      if (WEAK.has(name) && !secret.startsWith('npm_') && isMadeOfWords(secret)) continue;
      if (name === 'url-password' && isDefaultPassword(secret, userBefore(before))) continue;
      found.push({ name, start, stop: start + secret.length });
    }
  }
  return found;
}

/** A value in an argument: up to a blank, a quote or an escape of the block around it. */
const VALUE = String.raw`(?:\\?["'])?([^\s"'\\\`;|&)<>]{3,200})`;
/** `words` is looked for first: most texts contain none of them. */
const PLACES: readonly { words: RegExp; name: string; pattern: RegExp }[] = [
  {
    words: /PASSWORD=|PASSWD=|PWD=|SSHPASS=|_AUTH=|_TOKEN=|_SECRET=|API_KEY=/,
    name: 'password',
    pattern: new RegExp(
      String.raw`(?<![\w$-])(?:[A-Z][A-Z0-9_]{0,60}_)?(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|PASSWORD|PASSWD|AUTH|TOKEN|SECRET|API_KEY)=${VALUE}`,
      'g',
    ),
  },
  {
    words: /\bcurl\b/,
    name: 'password',
    pattern: new RegExp(
      String.raw`\bcurl\b[^\r\n|;]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?(?:\\?["'])?([^\s:"'\\]{1,80}):${VALUE}`,
      'g',
    ),
  },
  {
    words: /\bmysql|\bmariadb/,
    name: 'password',
    pattern: new RegExp(
      String.raw`\b(?:mysql|mariadb)(?:dump|admin|import|check)?\b[^\r\n|;]{0,300}?\s-p${VALUE}`,
      'g',
    ),
  },
  { words: /\bsshpass\b/, name: 'password', pattern: new RegExp(String.raw`\bsshpass\s+-p\s*${VALUE}`, 'g') },
  {
    words: /--pass/,
    name: 'password',
    pattern: new RegExp(String.raw`\s--(?:password|passwd|pass|passphrase)[ =]${VALUE}`, 'g'),
  },
  {
    words: /\bdocker\b|\bpodman\b|\bhelm\b|\bredis-cli\b/,
    name: 'password',
    pattern: new RegExp(
      String.raw`\b(?:(?:docker|podman|helm registry)\s+login\b[^\r\n|;]{0,200}?\s-p\s+|redis-cli\b[^\r\n|;]{0,200}?\s-a\s+)${VALUE}`,
      'g',
    ),
  },
];

function passwordsIn(source: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { words, name, pattern } of PLACES) {
    if (!words.test(source)) continue;
    for (const match of source.matchAll(pattern)) {
      const secret = match.at(-1)!;
      const user = match.length > 2 ? match[1]! : '';
      if (isStandIn(secret) || isDefaultPassword(secret, user)) continue;
      const stop = match.index + match[0].length;
      found.push({ name, start: stop - secret.length, stop });
    }
  }
  return found;
}

function userBefore(before: string): string {
  return /:\/\/([^:]*):$/.exec(before)?.[1] ?? '';
}

/** A password for a name that never exists (RFC 2606) or of three letters, and a key whose body was left out. */
function isExample(name: string, secret: string, after: string): boolean {
  if (name === 'private-key')
    return secret.replace(/^-+BEGIN [A-Z0-9 ]+-+/, '').replace(/\W|n/g, '').length < 40;
  if (name !== 'url-password') return false;
  return (
    secret.length < 4 || /^@(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid)(?![\w.-])/.test(after)
  );
}

/** A variable, a placeholder, an ellipsis or a row of one character: typical text instead of a secret. */
function isStandIn(secret: string): boolean {
  if (
    /^[\\"'`]*[$%{<[(…*]|\.\.\.|…|^(?:x+|X+|\*+|\.+)$|example|placeholder|redacted|change-?me/i.test(secret)
  )
    return true;
  if (/([A-Za-z0-9*])\1{7}/.test(secret)) return true;
  return /^(?:your|my|the|some|new|old)[-_]?(?:token|password|passwd|secret|key|pass)/i.test(secret);
}

/** Words that stand for a secret, or are the usual password of a test database. */
const STAND_IN_WORDS =
  /^(?:a|an|my|your|the|some|new|old|local|test|testing|dev|demo|sample|fake|dummy|foo|bar|user|username|admin|root|guest|default|postgres|mysql|redis|mongo|pass|passwd|password|passphrase|pwd|secret|token|key|apikey|api|jwt|auth|bearer|basic|credential|credentials|value|here|invalid|valid|senha|clave|contrasena|motdepasse|passwort|kennwort|sua|mot|de|passe|aqui|tu|changeit)$/i;

/** A password of words only, at least one of them a placeholder mark. */
function isDefaultPassword(secret: string, user: string): boolean {
  if (secret === user || /[.](?:\w+\()|\(/.test(secret)) return true;
  const words = wordsOf(secret);
  if (words === null) return false;
  return words.length > 1 || STAND_IN_WORDS.test(words[0] ?? '') || isJoined(words[0] ?? '');
}

/** `userpassword`: two such words without anything between them. */
function isJoined(word: string): boolean {
  for (let at = 2; at < word.length - 1; at += 1) {
    if (STAND_IN_WORDS.test(word.slice(0, at)) && STAND_IN_WORDS.test(word.slice(at))) return true;
  }
  return false;
}

/** Whether a value is words only, a member of an object, or a call, and so no key that a machine made. */
function isMadeOfWords(value: string): boolean {
  return (
    /[\w)]\(|^[A-Za-z_$]+(?:\.[A-Za-z_$]+)+$/.test(value) ||
    wordsOf(value) !== null ||
    /[^\x20-\x7e]/.test(value)
  );
}

/**
 * The words of a value such as `your-jwt-token`, `token123` or `apiKeyHere`; null if a part of it isn't a
 * word.
 */
function wordsOf(value: string): string[] | null {
  const words: string[] = [];
  for (const part of value.replace(/^[\\"'`]+|[\\"'`.,:!?]+$/g, '').split(/[^A-Za-z0-9]+/)) {
    if (part === '') continue;
    if (!/^(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20})(?:[A-Z][a-z]{1,20}){0,5}[0-9]{0,4}$|^[0-9]{1,4}$/.test(part))
      return null;
    words.push(part.replace(/[0-9]+$/, ''));
  }
  return words.length === 0 ? null : words;
}
