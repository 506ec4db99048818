import { KairosError } from '../../base/errors.ts';
import {
  EMBEDDING_PROVIDERS,
  type Embedders,
  type EmbeddingSettings,
} from '../../search/embedding/embedder.ts';
import type { VerifierSettings } from '../verifier/openai-compatible.ts';
import { MAX_VERIFIER_TIMEOUT_SECONDS, type UserSettings } from './user-settings.ts';

/**
 * Who makes vectors for search: KAIROS_EMBEDDING_PROVIDER, _MODEL, _URL and _API_KEY, each before the user's
 * configuration; `static` by default. A project's configuration is ignored, because texts and the key are sent to this address.
 * Throws INVALID_INPUT for a provider that is not known.
 */
export function embeddingSettings(settings: UserSettings, env: NodeJS.ProcessEnv): EmbeddingSettings {
  const named = env.KAIROS_EMBEDDING_PROVIDER || settings.embedding_provider || 'static';
  const provider = EMBEDDING_PROVIDERS.find((known) => known === named);
  if (provider === undefined) {
    throw new KairosError('INVALID_INPUT', `unknown embedding provider ${JSON.stringify(named)}`, {
      hint: `Choose one of ${EMBEDDING_PROVIDERS.join(', ')}.`,
    });
  }
  return {
    provider,
    model: env.KAIROS_EMBEDDING_MODEL || settings.embedding_model || null,
    url: env.KAIROS_EMBEDDING_URL || settings.embedding_url || null,
    apiKey: env.KAIROS_EMBEDDING_API_KEY || settings.embedding_api_key || null,
  };
}

/** The embedders that these settings name, loaded on first use; undefined if the user wants none. */
export function embeddersFor(settings: UserSettings, env: NodeJS.ProcessEnv): Embedders | undefined {
  return lazyEmbedders(embeddingSettings(settings, env));
}

const DEFAULT_TIMEOUT_SECONDS = 30;

/**
 * The verifier: KAIROS_VERIFIER_URL, _MODEL, _API_KEY and _TIMEOUT_SECONDS, each before the user's
 * configuration; null without an address. A project can't set it, because prompts, answers and the key go to
 * its address. Throws INVALID_INPUT for an invalid value, so that a configured verifier is never skipped.
 */
export function verifierSettings(user: UserSettings, env: NodeJS.ProcessEnv): VerifierSettings | null {
  const url = env.KAIROS_VERIFIER_URL || user.verifier_url;
  if (url === undefined || url === '') return null;
  const apiKey = env.KAIROS_VERIFIER_API_KEY || user.verifier_api_key || null;
  const model = env.KAIROS_VERIFIER_MODEL || user.verifier_model;
  if (model === undefined || model === '') {
    throw new KairosError('INVALID_INPUT', 'verifier_url is set, and verifier_model is not', {
      hint: 'Set KAIROS_VERIFIER_MODEL or verifier_model to the model that gives the second opinion.',
    });
  }
  return { url: addressOf(url, apiKey !== null), model, apiKey, timeoutMs: secondsOf(user, env) * 1000 };
}

function addressOf(text: string, hasKey: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url?.protocol === 'http:';
  if (url === null || !(plain || url.protocol === 'https:') || url.username !== '' || url.search !== '') {
    throw new KairosError(
      'INVALID_INPUT',
      'verifier_url is not an http or https address without user and query',
      { hint: 'For example http://127.0.0.1:11434/v1; a key goes into KAIROS_VERIFIER_API_KEY.' },
    );
  }
  if (plain && hasKey && !/^(?:localhost|127\..*|\[::1\])$/.test(url.hostname)) {
    throw new KairosError('INVALID_INPUT', 'verifier_url would send the key unencrypted to another machine', {
      hint: 'Use https, or leave the key out.',
    });
  }
  return url.href.replace(/\/+$/, '');
}

function secondsOf(user: UserSettings, env: NodeJS.ProcessEnv): number {
  const text = env.KAIROS_VERIFIER_TIMEOUT_SECONDS;
  if (text === undefined || text === '') return user.verifier_timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_VERIFIER_TIMEOUT_SECONDS) return seconds;
  throw new KairosError(
    'INVALID_INPUT',
    `KAIROS_VERIFIER_TIMEOUT_SECONDS is not a whole number from 1 to ${MAX_VERIFIER_TIMEOUT_SECONDS}`,
    { hint: `Leave it out for ${DEFAULT_TIMEOUT_SECONDS} seconds.` },
  );
}

/** Returns embedders that are loaded on first use, or undefined when the user has turned vectors off. */
export function lazyEmbedders(settings: EmbeddingSettings): Embedders | undefined {
  if (settings.provider === 'none') return undefined;
  let opened: Promise<Embedders> | null = null;
  const open = () => {
    opened ??= import('../../search/embedding/embedders.ts').then(({ openEmbedders }) =>
      openEmbedders(settings),
    );
    return opened;
  };
  return {
    configured: async () => (await open()).configured(),
    named: async (name) => (await open()).named(name),
  };
}
