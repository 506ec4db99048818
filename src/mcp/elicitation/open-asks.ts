import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientQuestion } from './ask.ts';
import type { AskedProofType } from './plan.ts';

/** A question that went out in an `input_required` result, and what the answer has to come with. */
export interface OpenAsk {
  ask: ClientQuestion;
  tool: string;
  /** SHA-256 of the canonical arguments of the call that asked. */
  argumentsSha256: string;
  actor: string;
}

/** The open questions of clients of 2026-07-28. Each answer is accepted once. */
export interface OpenAsks {
  /**
   * Signs request states; created for each process, so that a state doesn't outlive the questions kept here.
   */
  readonly key: Uint8Array;
  /** Keeps a question and returns the id for its request state. */
  keep(open: OpenAsk): string;
  /** The question, once; undefined when it is unknown, already answered, or another caller's. */
  take(id: string, actor: string): OpenAsk | undefined;
}

/** A caller with more questions than this loses the oldest. */
const MOST_PER_ACTOR = 100;

/** `lifetimeMs`: after this a question is forgotten. */
export function createOpenAsks({ now, lifetimeMs }: { now: () => number; lifetimeMs: number }): OpenAsks {
  // In order of asking, so the oldest is dropped first.
  const open = new Map<string, OpenAsk>();

  function forget(actor: string): void {
    const before = now() - lifetimeMs;
    const own: string[] = [];
    for (const [id, entry] of open) {
      if (entry.ask.askedAt < before) open.delete(id);
      else if (entry.actor === actor) own.push(id);
    }
    for (const id of own.slice(0, Math.max(0, own.length - MOST_PER_ACTOR + 1))) open.delete(id);
  }

  return {
    key: randomBytes(32),
    keep(entry) {
      forget(entry.actor);
      const id = randomUUID();
      open.set(id, entry);
      return id;
    },
    take(id, actor) {
      const entry = open.get(id);
      if (entry === undefined || entry.actor !== actor) return undefined;
      open.delete(id);
      return entry.ask.askedAt < now() - lifetimeMs ? undefined : entry;
    },
  };
}

/** How often a client that asked for progress hears that an answer is still waited for, in milliseconds. */
const PROGRESS_MS = 15_000;

const WORDS: Record<AskedProofType, string> = {
  user_input: "Waiting for the user's answer.",
  sampling: "Waiting for the model's answer.",
};

/** Reports to the client from time to time that an answer is pending, until it arrives. */
export async function waiting<T>(
  asked: AskedProofType,
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
