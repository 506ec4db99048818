import { KairosError } from '../../base/errors.ts';
import { EMBEDDING_PROVIDERS, type EmbeddingSettings } from '../../search/embedding/embedder.ts';
import type { UserSettings } from './user-settings.ts';

/**
 * Who makes vectors for search: KAIROS_EMBEDDING_PROVIDER, _MODEL, _URL and _API_KEY, each before the user's
 * configuration; `static` by default. A project's configuration has no say: texts and the key go where these point.
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
