import { isPassed } from '../../base/passed-variables.ts';

export interface CommandEnvironment {
  env: Record<string, string>;
  /** Names that the step asked for and that are not set. */
  missing: string[];
}

/** The environment of a command (SPEC 8): the allowlist and `LC_*`, plus what the step's `env` names. Nothing else. */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): CommandEnvironment {
  const asked = new Set(names);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (isPassed(name) || asked.has(name)) env[name] = value;
  }
  return { env, missing: [...asked].filter((name) => !Object.hasOwn(env, name)) };
}
