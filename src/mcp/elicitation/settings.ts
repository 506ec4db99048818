import { fileURLToPath } from 'node:url';
import type { ServerContext } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import {
  MAX_TIMEOUT_SECONDS,
  SAMPLING_DRIVERS,
  type SamplingDriver,
  USER_INPUT_DRIVERS,
  type UserInputDriver,
  type UserSettings,
} from '../../host/settings/user-settings.ts';
import type { Log } from '../server/metrics.ts';

/** What the server may ask for; the server's operator decides it, never a project. */
export interface ElicitationSettings {
  driver: UserInputDriver;
  /** Off: the user is asked through a form where the client has one, and nothing else is tried. */
  serverDriver: boolean;
  /** Whose model is used for a step with `sampling`: the client's, or the agent itself. */
  samplingDriver: SamplingDriver;
  /** How long an answer is waited for, in milliseconds. */
  timeoutMs: number;
  /** Slugs whose sampling steps may ask the client to run the model without the user's approval. */
  allowAutoSampling: readonly string[];
}

const DEFAULT_TIMEOUT_SECONDS = 600;

const DEFAULT_SETTINGS: ElicitationSettings = {
  driver: 'elicitation',
  serverDriver: false,
  samplingDriver: 'client',
  timeoutMs: DEFAULT_TIMEOUT_SECONDS * 1000,
  allowAutoSampling: [],
};

/** The settings as one source gives them: flags, or the user's configuration. */
interface GivenSettings {
  userInputDriver?: UserInputDriver | undefined;
  userInputServerDriver?: boolean | undefined;
  samplingDriver?: SamplingDriver | undefined;
  userInputTimeoutSeconds?: number | undefined;
  allowAutoSampling?: readonly string[] | undefined;
}

/** The settings from the user's configuration file. */
export function userElicitation(user: UserSettings): GivenSettings {
  return {
    userInputDriver: user.user_input_driver,
    userInputServerDriver: user.enable_user_input_server_driver,
    samplingDriver: user.sampling_driver,
    userInputTimeoutSeconds: user.user_input_timeout_seconds,
    allowAutoSampling: user.allow_auto_sampling,
  };
}

/**
 * Flags, then the environment, then the user's configuration, then the defaults. Throws USAGE for an invalid
 * variable.
 */
export function elicitationSettings(
  flags: GivenSettings,
  env: NodeJS.ProcessEnv,
  user: GivenSettings,
): ElicitationSettings {
  const seconds = flags.userInputTimeoutSeconds ?? secondsOf(env) ?? user.userInputTimeoutSeconds;
  return {
    driver:
      flags.userInputDriver ??
      oneOf(env, 'KAIROS_USER_INPUT_DRIVER', USER_INPUT_DRIVERS) ??
      user.userInputDriver ??
      DEFAULT_SETTINGS.driver,
    serverDriver:
      flags.userInputServerDriver ??
      switchOf(env) ??
      user.userInputServerDriver ??
      DEFAULT_SETTINGS.serverDriver,
    samplingDriver:
      flags.samplingDriver ??
      oneOf(env, 'KAIROS_SAMPLING_DRIVER', SAMPLING_DRIVERS) ??
      user.samplingDriver ??
      DEFAULT_SETTINGS.samplingDriver,
    timeoutMs: (seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    allowAutoSampling: flags.allowAutoSampling ?? slugsOf(env) ?? user.allowAutoSampling ?? [],
  };
}

function oneOf<T extends string>(
  env: NodeJS.ProcessEnv,
  variable: string,
  values: readonly T[],
): T | undefined {
  const text = env[variable];
  if (!text) return undefined;
  const known = values.find((name) => name === text);
  if (known === undefined) throw unusable(variable, `one of ${values.join(', ')}`);
  return known;
}

const ON = ['1', 'true', 'yes', 'on'];
const OFF = ['0', 'false', 'no', 'off'];

function switchOf({ KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER: text }: NodeJS.ProcessEnv): boolean | undefined {
  if (!text) return undefined;
  const word = text.toLowerCase();
  if (ON.includes(word)) return true;
  if (OFF.includes(word)) return false;
  throw unusable('KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER', 'true or false');
}

function secondsOf({ KAIROS_USER_INPUT_TIMEOUT_SECONDS: text }: NodeJS.ProcessEnv): number | undefined {
  if (!text) return undefined;
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS) {
    throw unusable(
      'KAIROS_USER_INPUT_TIMEOUT_SECONDS',
      `a whole number of seconds, 1 to ${MAX_TIMEOUT_SECONDS}`,
    );
  }
  return seconds;
}

function slugsOf({ KAIROS_ALLOW_AUTO_SAMPLING: text }: NodeJS.ProcessEnv): string[] | undefined {
  if (text === undefined) return undefined;
  return text
    .split(',')
    .map((slug) => slug.trim())
    .filter((slug) => slug !== '');
}

function unusable(name: string, expected: string): KairosError {
  return new KairosError('USAGE', `${name} has a value that is not understood`, {
    hint: `It has to be ${expected}.`,
  });
}

/** Milliseconds after the time-out of a question in which a late answer is reported as late. */
export const LATE_MS = 60 * 60 * 1000;

/** What a client declared that it can be asked for. */
export interface Capabilities {
  /** Showing a form to the user. */
  elicitation: boolean;
  /** Running a model. */
  sampling: boolean;
  /** Naming the folders that it works in. */
  roots: boolean;
}

const NO_CAPABILITIES: Capabilities = { elicitation: false, sampling: false, roots: false };

/**
 * Reads what a client declared: at `initialize` in the 2025 revisions, with each request in that of 2026-07-28. A bare
 * `elicitation: {}` means forms, as it did before there were modes; a client with URLs only cannot show one.
 */
export function capabilitiesOf(declared: unknown): Capabilities {
  if (!isObject(declared)) return NO_CAPABILITIES;
  const { elicitation, sampling, roots } = declared;
  return {
    elicitation: isObject(elicitation) && (isObject(elicitation.form) || !isObject(elicitation.url)),
    sampling: isObject(sampling),
    roots: isObject(roots),
  };
}

/** Milliseconds for a client to name its roots. */
const ROOTS_MS = 10_000;

/**
 * Asks a client of the 2025 revisions for its roots, once and only on demand. Returns the paths of `file:`
 * roots; null if the client names none, as if it had not declared any. A client that doesn't answer has no folder, so nothing
 * is inside a root.
 */
export function clientRoots({ mcpReq }: ServerContext, log: Log): () => Promise<string[] | null> {
  let asked: Promise<string[] | null> | null = null;
  const ask = async () => {
    try {
      const options = { timeout: ROOTS_MS, signal: mcpReq.signal };
      const { roots } = await mcpReq.send({ method: 'roots/list' }, options);
      return roots.length === 0 ? null : roots.flatMap(({ uri }) => pathOf(uri));
    } catch (error) {
      log.warn('roots not named', { error: error instanceof Error ? error.message : String(error) });
      return [];
    }
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}

function pathOf(uri: string): string[] {
  try {
    return uri.startsWith('file:') ? [fileURLToPath(uri)] : [];
  } catch {
    return [];
  }
}
