/** Variables by name; one that is undefined is not set. */
export type SecretEnvironment = Readonly<Record<string, string | undefined>>;

/** A text that must never be stored, and the name that replaces it. */
export interface SecretForm {
  name: string;
  form: string;
}

/** Shorter values are words more often than secrets. */
const MIN_LENGTH = 6;

const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|CREDS|AUTH|PRIVATE|COOKIE|DSN|(?:^|_)(?:PASS|PWD|PW|PAT|SALT)(?:_|$)/i;
/** Parts of names that resemble one of the above without being a secret. */
const HARMLESS = /^(?:OLD)?PWD$|^SSH_AUTH_SOCK$|AUTHOR(?!I[SZ])|KEYBOARD|KEYMAP/gi;

/** True when a variable of this name counts as a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(HARMLESS, ''));
}

/**
 * Every form in which secrets of environments may occur: unchanged, as a JSON string, URL-encoded, in base64
 * (at each of the three alignments), and the password of a URL. Longest first, each form once.
 */
export function secretForms(...environments: SecretEnvironment[]): SecretForm[] {
  const byForm = new Map<string, SecretForm>();
  for (const [name, value] of environments.flatMap((env) => Object.entries(env))) {
    for (const form of formsOf(name, value ?? '')) {
      if (form.length >= MIN_LENGTH && !byForm.has(form)) byForm.set(form, { name, form });
    }
  }
  return [...byForm.values()].sort((a, b) => b.form.length - a.form.length);
}

/** Every form of values that are secrets under any name. `isWhole`: not their lines alone. */
export function formsOfValues(values: Readonly<Record<string, string>>, isWhole = false): SecretForm[] {
  return Object.entries(values).flatMap(([name, value]) =>
    formsOfSecrets([value, value.trim(), ...(isWhole ? [] : linesOf(value, MIN_LENGTH))])
      .filter((form) => form.length >= MIN_LENGTH)
      .map((form) => ({ name, form })),
  );
}

function formsOf(name: string, value: string): string[] {
  return formsOfSecrets(
    isSecretName(name) ? [value, value.trim(), ...linesOf(value, LONG_LINE)] : urlPasswords(value),
  );
}

function formsOfSecrets(secrets: readonly string[]): string[] {
  return secrets
    .filter((secret) => secret.length >= MIN_LENGTH)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      ...urlForms(secret),
      ...base64Forms(secret),
    ]);
}

/** Of a variable that only its name makes a secret, shorter lines are words more often than parts of it. */
const LONG_LINE = 16;

/** A key or a credentials file may be printed by line, or with another indentation: each line of this length counts. */
function linesOf(value: string, length: number): string[] {
  if (!value.includes('\n')) return [];
  return value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= length);
}

function urlPasswords(value: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/]+)@/i.exec(value)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function urlForms(secret: string): string[] {
  let encoded: string;
  try {
    encoded = encodeURIComponent(secret);
  } catch {
    return []; // lone surrogates have no URL form
  }
  const strict = encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return [encoded, strict]
    .flatMap((form) => [form, form.replaceAll('%20', '+')])
    .flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())]);
}

/** The whole encoding, and per alignment within a longer text the characters that the secret alone decides. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const cores = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [bytes.toString('base64'), ...cores].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
}
