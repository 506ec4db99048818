import { setTimeout as sleep } from 'node:timers/promises';
import { programName } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import {
  checkVectors,
  type Embedder,
  type EmbeddingSettings,
  embeddingFailed,
  prefixed,
} from './embedder.ts';

const PROVIDER = 'openai-compatible';
const BATCH_SIZE = 32;
const TIMEOUT_MS = 60_000;
const TRIES = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
/** A server's answer that means the same request may succeed later. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface EmbeddingRequestOptions {
  fetch?: typeof fetch;
  /** Milliseconds before the second try; doubled each time. */
  firstPauseMs?: number;
  timeoutMs?: number;
}

/**
 * A server with OpenAI's `POST /v1/embeddings`: OpenAI itself, Ollama, Text Embeddings Inference, llama.cpp,
 * vLLM. Temporary failures (429, 5xx, resets) are retried with growing pauses, or as `Retry-After` asks.
 * Redirects are rejected because they would forward the key; errors never contain the key.
 */
export function openaiCompatible(
  { model, url, apiKey }: EmbeddingSettings,
  {
    fetch: send = fetch,
    firstPauseMs = FIRST_PAUSE_MS,
    timeoutMs = TIMEOUT_MS,
  }: EmbeddingRequestOptions = {},
): Embedder {
  const name = `${PROVIDER}:${required(model, 'embedding_model', 'nomic-embed-text')}`;
  const endpoint = endpointOf(required(url, 'embedding_url', 'http://127.0.0.1:11434/v1'));
  const hidden = (text: string) => (apiKey === null ? text : text.replaceAll(apiKey, '[redacted]'));

  const post = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await once(texts, signal);
      if ('json' in answer) return answer.json;
      if (!answer.passing || attempt === TRIES) {
        throw embeddingFailed(name, hidden(answer.reason), answer.hint, answer.cause);
      }
      const pause = answer.retryAfterMs ?? firstPauseMs * 2 ** (attempt - 1);
      await sleep(Math.min(pause, LONGEST_PAUSE_MS), undefined, signal === undefined ? {} : { signal });
    }
  };

  const once = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Answer> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(endpoint, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input: texts }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      return response.ok ? { json: await response.json() } : await refusal(response, endpoint);
    } catch (cause) {
      signal?.throwIfAborted();
      const late = timeout.aborted;
      return {
        passing: !late && !(cause instanceof SyntaxError),
        reason: late
          ? `did not answer in ${timeoutMs / 1000} s (${endpoint})`
          : `cannot be understood or reached at ${endpoint}: ${reasonOf(cause)}`,
        hint: 'Check embedding_url and that the server runs. Search continues with words alone.',
        cause: hidden(String(cause)),
      };
    }
  };

  return {
    name,
    batchSize: BATCH_SIZE,
    async embed(texts, kind, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH_SIZE) {
        const batch = texts.slice(at, at + BATCH_SIZE);
        // An empty text is an error on some servers.
        const input = batch.map((text) => prefixed(model ?? '', text, kind) || ' ');
        vectors.push(...checkVectors(name, vectorsOf(await post(input, signal)), batch.length));
      }
      return vectors;
    },
  };
}

type Answer =
  | { json: unknown }
  | { passing: boolean; reason: string; hint: string; retryAfterMs?: number; cause?: unknown };

async function refusal(response: Response, endpoint: string): Promise<Answer> {
  const text = (await response.text().catch(() => '')).replace(/\s+/g, ' ').slice(0, 200);
  const after = Number(response.headers.get('retry-after'));
  const unknown = response.status === 401 || response.status === 403;
  return {
    passing: PASSING.has(response.status),
    reason: `answered ${response.status} at ${endpoint}${text === '' ? '' : `: ${text}`}`,
    hint: unknown
      ? 'Check the key: KAIROS_EMBEDDING_API_KEY or embedding_api_key.'
      : 'Check embedding_url and embedding_model. Search continues with words alone.',
    ...(after > 0 ? { retryAfterMs: after * 1000 } : {}),
  };
}

/** The vectors of `data[]`, by `index` where the server gives one. */
function vectorsOf(json: unknown): unknown {
  const { data } = (json ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) return null;
  const items = data as { index?: unknown; embedding?: unknown }[];
  const numbered = items.every(({ index }) => typeof index === 'number');
  const ordered = numbered
    ? items.toSorted((left, right) => Number(left.index) - Number(right.index))
    : items;
  return ordered.map(({ embedding }) => embedding);
}

function endpointOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (
    parsed === null ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.username !== '' ||
    parsed.search !== ''
  ) {
    throw new KairosError(
      'INVALID_INPUT',
      'embedding_url is not an http or https address without user and query',
      { hint: 'For example http://127.0.0.1:11434/v1; a key goes into KAIROS_EMBEDDING_API_KEY.' },
    );
  }
  return `${parsed.href.replace(/\/+$/, '').replace(/\/embeddings$/, '')}/embeddings`;
}

function required(value: string | null, key: string, example: string): string {
  if (value !== null) return value;
  throw new KairosError('INVALID_INPUT', `${key} is not set, and ${PROVIDER} needs it`, {
    hint: `${programName()} config set ${key} ${example}`,
  });
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
