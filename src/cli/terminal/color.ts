import { Chalk, type ChalkInstance } from 'chalk';

export type ColorFlag = 'auto' | 'always' | 'never';

interface ColorSituation {
  flag: ColorFlag;
  env: NodeJS.ProcessEnv;
  /** Whether the stream is a terminal. */
  terminal: boolean;
}

/**
 * Whether to use colour. `--color always|never` decides; then NO_COLOR (set and not empty, no-color.org);
 * then FORCE_COLOR (anything but `0` or `false`, as Node reads it); then whether the stream is a terminal
 * that isn't dumb.
 */
export function decideColor({ flag, env, terminal }: ColorSituation): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return terminal && env.TERM !== 'dumb';
}

/** A chalk that always uses the sixteen colours of every terminal, or never uses any. */
export function createColor(enabled: boolean): ChalkInstance {
  return new Chalk({ level: enabled ? 1 : 0 });
}

/** The chalk for a stream. */
export function colorFor(
  stream: { isTTY?: boolean },
  { flag, env }: Pick<ColorSituation, 'flag' | 'env'>,
): ChalkInstance {
  return createColor(decideColor({ flag, env, terminal: stream.isTTY === true }));
}

/** Whether an environment variable is set to anything but a word for no. */
export function isFlagSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
