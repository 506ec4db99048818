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

export interface HandoverState {
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
  /** Durable when it resolves; in the place of the one before. Throws when it cannot be written. */
  write(note: HandoverNote): Promise<void>;
  /** Removes the note if it is about this run. */
  remove(runId: string): Promise<void>;
}
