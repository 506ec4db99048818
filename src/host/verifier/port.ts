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
 * A second opinion, which may only refuse: null accepts the answer. `refused` has the reason in foreign
 * words: they go to the record and the log, never to the agent. Throwing refuses, because the answer was not
 * checked.
 */
export type Verify = (request: VerifyRequest) => Promise<{ refused: string } | null>;

/** Where a second opinion is had. */
export interface VerifierSettings {
  /** Base address of a server with OpenAI's `POST /chat/completions`. */
  url: string;
  model: string;
  apiKey: string | null;
  timeoutMs: number;
}
