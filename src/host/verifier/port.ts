/** An answer that the server obtained through its client, and that the deterministic checks have let pass. */
export interface VerifyRequest {
  kind: 'user_input' | 'sampling';
  driver: 'elicitation' | 'sampling';
  system: string | null;
  prompt: string;
  outputSchema: Record<string, unknown> | null;
  answer: unknown;
}

/**
 * A second opinion, which may only refuse: null lets the answer go on. `refused` says why, in words that nobody here has
 * chosen: they go to the record and the log, and to no walker. Throwing is refusing, since an answer that should be looked at was not.
 */
export type Verify = (request: VerifyRequest) => Promise<{ refused: string } | null>;

/** Where a second opinion is had. */
export interface VerifierSettings {
  /** Base address of a server that speaks `POST /chat/completions` as OpenAI does. */
  url: string;
  model: string;
  apiKey: string | null;
  timeoutMs: number;
}
