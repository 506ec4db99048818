import { canonical } from '../../base/canonical.ts';

/** The variable that a parameter of a command is handed over in; null when its key makes none. */
export function parameterName(key: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `KAIROS_PARAM_${key.toUpperCase()}` : null;
}

/**
 * The environment made from parameters: strings unchanged, everything else as its RFC 8785 text. Never part
 * of a command.
 */
export function parameterEnvironment(parameters: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([key, value]) => {
      const name = parameterName(key);
      return name === null ? [] : [[name, typeof value === 'string' ? value : canonical(value)]];
    }),
  );
}
