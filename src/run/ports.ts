import type { NamedServer } from '../gate/input.ts';
import type { ProposedHold } from '../protocol/schema.ts';

/** Milliseconds since the Unix epoch. */
export type Clock = () => number;

/** `size` unpredictable bytes. */
export type RandomBytes = (size: number) => Uint8Array;

export interface TrustRecord {
  digest: string;
  chainId: string;
  slug: string;
  title: string;
  /** RFC 3339 UTC. */
  trustedAt: string;
  /** Who gave it. */
  by: string;
  /** The holds that the content proposes. Absent without any. */
  holds?: ProposedHold[];
}

/** Which digests the user has trusted on this machine. Lives in the user's data folder, never in a project. */
export interface TrustStore {
  get(digest: string): Promise<TrustRecord | null>;
  /** Newest first. */
  list(): Promise<TrustRecord[]>;
  grant(record: TrustRecord): Promise<void>;
  /** False when it was not trusted. */
  revoke(digest: string): Promise<boolean>;
}

/**
 * Makes the keyed digest of a value that no record may contain: KEY:DIGEST. A reader of the record can't try out values, because the
 * key stays in the data folder. `name` keeps equal values of a run apart.
 */
export type ValueDigest = (runId: string, name: string, value: string) => string;

/** What `run.begun` and later entries record of secrets: their keyed digests by name. */
export function secretDigests(
  digest: ValueDigest | undefined,
  runId: string,
  secrets: Readonly<Record<string, string>>,
): { secret_digests?: Record<string, string> } {
  const entries = Object.entries(secrets);
  if (digest === undefined || entries.length === 0) return {};
  return {
    secret_digests: Object.fromEntries(entries.map(([name, value]) => [name, digest(runId, name, value)])),
  };
}

/** Whether a value is the one that was digested. `unknown`: another key digested it. */
export function compareDigests(recorded: string, given: string): 'same' | 'other' | 'unknown' {
  if (recorded === given) return 'same';
  return recorded.split(':')[0] === given.split(':')[0] ? 'other' : 'unknown';
}

/** Marks on this machine, outside of the store, of the permits that were used. */
export interface PermitMarks {
  /** Throws FILE_UNWRITABLE when marks can't be made, before anything is recorded. */
  prepare(): Promise<void>;
  /** Makes the mark; false when it was there. */
  use(key: string): Promise<boolean>;
  /** The newest instant that was ever given here, in milliseconds since the epoch; keeps this one. */
  seen(now: number): Promise<number>;
}

/** Values of the environment variables that a command names (undefined: not set), and digests of the files that it starts. */
export type CommandInspector = (
  command: { cmd: string; workdir?: string | undefined; env?: readonly string[] | undefined },
  folder: string,
) => { values: Record<string, string | undefined>; files: Record<string, string | null> };

/** Resolves what the names in a step stand for on this machine. */
export interface StepNames {
  /** For a run that works in this folder; null if no such server can be started. */
  server(name: string, folder: string): Promise<NamedServer | null>;
  /** Looks at what a command gets and starts in a folder. */
  commands(): Promise<CommandInspector>;
  /** Where a folder below a place is, if a link leads elsewhere than its path; else undefined. */
  linkedFolder(place: Pick<RunPlace, 'workdir'>, folder: string): string | undefined;
}

/** What a session leaves, so that another session or client can continue its run. */
export interface HandoverNote {
  /** The session that moved the run on last; null for a lone command-line call. */
  session: string | null;
  runId: string;
  /** `kairos://mem/…` of the first step. */
  chainUri: string;
  /** 1-based; the last step's once attest is next. */
  stepIndex: number;
  /** What is pending, without its nonce; null when nothing is left to solve. */
  currentChallenge: Record<string, unknown> | null;
  /** Enough to see whether the run has changed since. */
  state: HandoverState;
  /** RFC 3339 UTC. */
  updatedAt: string;
}

interface HandoverState {
  space: string;
  actor: string;
  digest: string;
  stepCount: number;
  /** What is passed of the run, in stations. */
  passed: number;
  /** What the next proof has to echo. */
  echo: string;
  proofs: { claimed: number; client: number; observed: number; attested: number };
}

/** The one note of the current user. */
export interface Handover {
  /** Null without one. Throws HANDOVER_REFUSED for an unreliable one. */
  read(): Promise<HandoverNote | null>;
  /** Replaces the file, durably when it resolves. Throws when it can't be written. */
  write(note: HandoverNote): Promise<void>;
  /** Removes the note if it is about this run. */
  remove(runId: string): Promise<void>;
}

/** Where a run works: its commands run there, and its outputs are read there. */
export interface RunPlace {
  /** Name of the machine. */
  host: string;
  /** Absolute, links resolved; null if the interface has no folder. */
  workdir: string | null;
  /** Further folders that outputs may lie in; absolute. */
  roots: readonly string[];
  /** Other spellings of these folders, through links: a path that begins with one is understood. */
  names?: readonly string[];
}

/** The policy that a run is judged by. */
export interface PolicyRecord {
  /** Null: none. */
  digest: string | null;
  /** Absolute path of its file; null: none, or a ledger of an older version without it. */
  origin: string | null;
}

/** Whether two places are one. A ledger that names no place fits every one. */
export function isSamePlace(recorded: RunPlace | null, here: RunPlace): boolean {
  return (
    recorded === null ||
    (recorded.host === here.host &&
      recorded.workdir === here.workdir &&
      recorded.roots.length === here.roots.length &&
      recorded.roots.every((root) => here.roots.includes(root)))
  );
}

/** Makes the function that redacts these values and everything else that is secret here. */
export type RedactAlso = (secrets: Readonly<Record<string, string>>) => (text: string) => string;

/** The same for exact values alone, where a program has no redactor. */
export function redactExactly(redact: (text: string) => string = (text) => text): RedactAlso {
  return (secrets) => (text) =>
    Object.entries(secrets).reduce(
      (left, [name, value]) => (value === '' ? left : left.replaceAll(value, `[redacted:${name}]`)),
      redact(text),
    );
}
