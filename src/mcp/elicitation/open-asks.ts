import { randomBytes, randomUUID } from 'node:crypto';
import type { Ask } from './ask.ts';

/** A question that went out in an `input_required` result, and what the answer has to come with. */
export interface OpenAsk {
  ask: Ask;
  tool: string;
  /** SHA-256 of the canonical arguments of the call that asked. */
  argumentsSha256: string;
  actor: string;
}

/** The questions that clients of 2026-07-28 still have to answer. Each answer is taken once. */
export interface OpenAsks {
  /** Signs request states; made anew with each process, so a state does not outlive the questions kept here. */
  readonly key: Uint8Array;
  /** Keeps a question and answers the id that its request state carries. */
  keep(open: OpenAsk): string;
  /** The question, once; undefined when it is unknown, has been taken, or was asked by somebody else. */
  take(id: string, actor: string): OpenAsk | undefined;
}

/** A caller who asks more than this at once loses the oldest. */
const MOST_PER_ACTOR = 100;

/** `lifetimeMs`: after this a question is forgotten. */
export function createOpenAsks({ now, lifetimeMs }: { now: () => number; lifetimeMs: number }): OpenAsks {
  // In the order of asking, hence of forgetting.
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
