import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import type { ClientQuestion } from './ask.ts';
import type { AskedSubject } from './plan.ts';

/** A question that went out in an `input_required` result, and what the answer has to come with. */
export interface OpenAsk {
  ask: ClientQuestion;
  tool: string;
  /** SHA-256 of the canonical arguments of the call that asked. */
  argumentsSha256: string;
  actor: string;
}

/**
 * The open questions of clients of 2026-07-28. A question travels in its request state, encrypted, so any server with the
 * same key accepts its answer. A server accepts each once; of two servers the ledger lets the nonce of the question be spent once.
 */
export interface OpenAsks {
  /** Signs and encrypts request states; read once. Servers of one user have the same. */
  key(): Promise<Uint8Array>;
  /** The question as text for its request state; null when the client was asked it twice and never answered. */
  seal(open: OpenAsk): Promise<string | null>;
  /** The question, once; undefined when the text is invalid, already answered, expired, or another caller's. */
  open(text: string, actor: string): Promise<OpenAsk | undefined>;
}

/** A client that has dropped as many questions about one step is not asked again. */
const MOST_UNANSWERED = 2;

interface OpenAsksOptions {
  now: () => number;
  /** After this a question is forgotten. */
  lifetimeMs: number;
  key: () => Promise<Uint8Array>;
}

export function createOpenAsks({ now, lifetimeMs, key: loadKey }: OpenAsksOptions): OpenAsks {
  /** By id, when it was opened; in that order. */
  const taken = new Map<string, number>();
  /** Questions without an answer, by what they ask about. */
  const unanswered = new Map<string, { count: number; at: number }>();
  let loading: Promise<Uint8Array> | undefined;
  const key = () => {
    loading ??= loadKey().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  function forget(): void {
    const before = now() - lifetimeMs;
    for (const [id, at] of taken) if (at < before) taken.delete(id);
    for (const [about, { at }] of unanswered) if (at < before) unanswered.delete(about);
  }

  return {
    key,
    async seal(open) {
      forget();
      const about = aboutOf(open);
      const { count } = unanswered.get(about) ?? { count: 0 };
      unanswered.delete(about);
      if (count >= MOST_UNANSWERED) return null;
      unanswered.set(about, { count: count + 1, at: now() });
      return encrypt(await key(), JSON.stringify({ ...open, id: randomUUID() }));
    },
    async open(text, actor) {
      const plain = decrypt(await key(), text);
      if (plain === null) return undefined;
      const { id, ...open } = JSON.parse(plain) as OpenAsk & { id: string };
      if (open.actor !== actor || taken.has(id)) return undefined;
      taken.set(id, now());
      unanswered.delete(aboutOf(open));
      return open.ask.askedAt < now() - lifetimeMs ? undefined : open;
    },
  };
}

function aboutOf({ actor, ask: { runId, uri, asked, driver } }: OpenAsk): string {
  // No run has begun that a question about inputs could belong to.
  return JSON.stringify([actor, asked === 'inputs' ? null : runId, uri, asked, driver]);
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function encrypt(key: Uint8Array, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** Null for a text that was not encrypted with this key. */
function decrypt(key: Uint8Array, text: string): string | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}

/** Interval of progress notifications while an answer is awaited, in milliseconds. */
const PROGRESS_MS = 15_000;

const WORDS: Record<AskedSubject, string> = {
  user_input: "Waiting for the user's answer.",
  sampling: "Waiting for the model's answer.",
  inputs: "Waiting for the user's inputs.",
};

/** Reports to the client from time to time that an answer is pending, until it arrives. */
export async function waiting<T>(
  asked: AskedSubject,
  progress: (message: string) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  await progress(WORDS[asked]);
  const timer = setInterval(() => void progress(WORDS[asked]), PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
