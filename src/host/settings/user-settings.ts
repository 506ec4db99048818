import { join, resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { EMBEDDING_PROVIDERS, type EmbeddingProvider } from '../../search/embedding/embedder.ts';
import { belowHome, type Environment, type UserFolders } from '../files/paths.ts';
import { readPrivateFile } from '../files/private-files.ts';
import { ACTOR_NAME, isActorName } from '../system.ts';

/** Who gets a user's answer: the client's form, the client's model with the user watching, or the agent itself. */
export const USER_INPUT_DRIVERS = ['elicitation', 'sampling', 'agent'] as const;
export type UserInputDriver = (typeof USER_INPUT_DRIVERS)[number];

/** Whose model is used for a step with `sampling`. */
export const SAMPLING_DRIVERS = ['client', 'agent'] as const;
export type SamplingDriver = (typeof SAMPLING_DRIVERS)[number];

/** A day: by then the challenge that an answer is bound to has expired. */
export const MAX_TIMEOUT_SECONDS = 86_400;
/** Longer than a second opinion is worth waiting for. */
export const MAX_VERIFIER_TIMEOUT_SECONDS = 600;

/**
 * Settings for all calls of a user. A project can't set them: its configuration never decides where data is
 * kept.
 */
export interface UserSettings {
  store?: string;
  space?: string;
  /** Who acts, on the record of runs. The gate judges the account all the same. */
  actor?: string;
  /** Who is notified when something waits, is decided or ends: URLs (http, https) and shell commands. */
  notify?: string | string[];
  /** Who gets a user's answer for `kairos serve`: elicitation, sampling or agent. */
  user_input_driver?: UserInputDriver;
  enable_user_input_server_driver?: boolean;
  /** Whose model is used for a step with sampling by `kairos serve`: client or agent. */
  sampling_driver?: SamplingDriver;
  user_input_timeout_seconds?: number;
  /** Slugs whose sampling steps may ask for a model to be run without the user's approval. */
  allow_auto_sampling?: string[];
  /** Who makes vectors for search; see `embeddingSettings`. */
  embedding_provider?: EmbeddingProvider;
  embedding_model?: string;
  embedding_url?: string;
  embedding_api_key?: string;
  /** Who is asked for a second opinion on what the server obtained; see `verifierSettings`. */
  verifier_url?: string;
  verifier_model?: string;
  verifier_api_key?: string;
  verifier_timeout_seconds?: number;
}

const FILES = ['kairos.config.yaml', 'kairos.config.json'] as const;
type Reader<T> = { expected: string; accepts: (value: unknown) => value is T };
const text: Reader<string> = {
  expected: 'a text',
  accepts: (value): value is string => typeof value === 'string' && value !== '',
};

/** The values of each key. A new setting is a line here and one in UserSettings. */
const READERS: { [K in keyof Required<UserSettings>]: Reader<Required<UserSettings>[K]> } = {
  store: text,
  space: text,
  actor: { expected: ACTOR_NAME, accepts: isActorName },
  notify: {
    expected: 'a URL (http or https), a command, or a list of them',
    accepts: (value): value is string | string[] => {
      const all = Array.isArray(value) ? value : [value];
      return all.length <= 16 && all.every(isReceiver);
    },
  },
  user_input_driver: {
    expected: `one of ${USER_INPUT_DRIVERS.join(', ')}`,
    accepts: (value): value is UserInputDriver => USER_INPUT_DRIVERS.some((name) => name === value),
  },
  enable_user_input_server_driver: {
    expected: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
  },
  sampling_driver: {
    expected: `one of ${SAMPLING_DRIVERS.join(', ')}`,
    accepts: (value): value is SamplingDriver => SAMPLING_DRIVERS.some((name) => name === value),
  },
  user_input_timeout_seconds: {
    expected: `a whole number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}`,
    accepts: (value): value is number =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_TIMEOUT_SECONDS,
  },
  allow_auto_sampling: {
    expected: 'a list of slugs',
    accepts: (value): value is string[] =>
      Array.isArray(value) && value.every((slug) => typeof slug === 'string' && slug !== ''),
  },
  embedding_provider: {
    expected: `one of ${EMBEDDING_PROVIDERS.join(', ')}`,
    accepts: (value): value is EmbeddingProvider => EMBEDDING_PROVIDERS.some((name) => name === value),
  },
  embedding_model: text,
  embedding_url: text,
  embedding_api_key: text,
  verifier_url: text,
  verifier_model: text,
  verifier_api_key: text,
  verifier_timeout_seconds: {
    expected: `a whole number of seconds from 1 to ${MAX_VERIFIER_TIMEOUT_SECONDS}`,
    accepts: (value): value is number =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_VERIFIER_TIMEOUT_SECONDS,
  },
};
function isReceiver(value: unknown): boolean {
  if (typeof value !== 'string' || value.trim() === '') return false;
  return !/^https?:/i.test(value) || (/^https?:\/\//i.test(value) && URL.canParse(value));
}

/** Read elsewhere; they may be in the same file. */
const OTHER_KEYS = ['lint', 'format', 'display'];

/**
 * The user's configuration file in the configuration folder; empty when missing. Throws INVALID_INPUT for
 * content that is not understood, FILE_UNREADABLE for a file that others may write to.
 */
export async function loadUserSettings({ config }: Pick<UserFolders, 'config'>): Promise<UserSettings> {
  for (const name of FILES) {
    const path = join(config, name);
    const text = await readPrivateFile(path, 'readable', 'own').catch((cause: unknown) => {
      throw new KairosError('FILE_UNREADABLE', `${path} cannot be relied on: ${(cause as Error).message}`, {
        hint: 'Replace it by your own file that only you can write to (chmod 600).',
        cause,
      });
    });
    if (text !== null) return settingsOf(await parse(path, text), path);
  }
  return {};
}

async function parse(path: string, text: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return JSON.parse(text);
    const { parseYaml } = await import('../../formats/yaml.ts');
    return parseYaml(text) ?? {};
  } catch (cause) {
    throw invalid(path, (cause as Error).message, cause);
  }
}

function settingsOf(value: unknown, path: string): UserSettings {
  if (!isObject(value)) {
    throw invalid(path, 'it is not a mapping');
  }
  const settings: UserSettings = {};
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(READERS, key)) {
      if (OTHER_KEYS.includes(key)) continue;
      throw invalid(
        path,
        `${JSON.stringify(key)} is not known; known are ${[...Object.keys(READERS), ...OTHER_KEYS].join(', ')}`,
      );
    }
    const reader = READERS[key as keyof UserSettings];
    if (!reader.accepts(item)) throw invalid(path, `${key} must be ${reader.expected}`);
    Object.assign(settings, { [key]: item });
  }
  return settings;
}

function invalid(path: string, reason: string, cause?: unknown): KairosError {
  return new KairosError('INVALID_INPUT', `the configuration ${path} cannot be used: ${reason}`, {
    hint: 'For example: store: /home/me/kairos.db',
    cause,
  });
}

/**
 * Where the store is: `--store`, KAIROS_STORE, QDRANT_URL, the user's configuration; null is the embedded store of the
 * data folder. Relative paths count from the working directory; `~` is the home directory.
 */
export function storeLocation(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  settings: UserSettings,
  cwd: string,
): string | null {
  const named = flag ?? (env.KAIROS_STORE || undefined);
  if (named !== undefined) return absoluteLocation(named, cwd, env);
  // The address is kept unchanged, because its scheme decides about TLS.
  if (env.QDRANT_URL) return `qdrant:${env.QDRANT_URL}`;
  return settings.store === undefined ? null : absoluteLocation(settings.store, cwd, env);
}

/** A location that means the same from every working directory. */
export function absoluteLocation(location: string, cwd: string, env: Environment = process.env): string {
  if (location === ':memory:') return location;
  const [, scheme = '', path = ''] = /^(sqlite:|)(.*)$/s.exec(location) ?? [];
  // Another scheme, or a drive of Windows.
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path === ':memory:') return location;
  return `${scheme}${resolve(cwd, belowHome(path, env))}`;
}

/** A location as it may be printed and recorded: without credentials. */
export function printedLocation(location: string): string {
  return location.replace(/\/\/[^@/]*@/, '//');
}
