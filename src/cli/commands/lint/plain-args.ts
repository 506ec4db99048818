import type { CommonOptions } from '../../command.ts';
import type { LintOptions } from './settings.ts';

export interface FastPathArgs {
  paths: string[];
  options: LintOptions & CommonOptions;
}

/** Flags without a value. */
const FLAGS: Readonly<Record<string, Partial<FastPathArgs['options']>>> = {
  '--quiet': { quiet: true },
  '--exit-zero': { exitZero: true },
  '--json': { json: true },
  '--no-config': { config: false },
  '--no-inline-config': { inlineConfig: false },
};

/**
 * The arguments after `lint` of a simple call: paths and a few flags. Null for anything else,
 * mistakes included: then the whole definition of the command is loaded, which takes longer than linting a file.
 */
export function fastPathArgs(argv: readonly string[]): FastPathArgs | null {
  const paths: string[] = [];
  const options: FastPathArgs['options'] = { color: 'auto', failOn: 'error', inlineConfig: true };
  for (let at = 0; at < argv.length; at += 1) {
    const arg = argv[at]!;
    if (arg === '') return null;
    if (arg === '-' || !arg.startsWith('-')) paths.push(arg);
    else if (Object.hasOwn(FLAGS, arg)) Object.assign(options, FLAGS[arg]);
    else {
      const isJoined = arg.includes('=');
      const value = isJoined ? arg.slice(arg.indexOf('=') + 1) : argv[at + 1];
      if (value === undefined || value === '' || value.startsWith('-')) return null;
      if (!setValue(options, isJoined ? arg.slice(0, arg.indexOf('=')) : arg, value)) return null;
      if (!isJoined) at += 1;
    }
  }
  return { paths, options };
}

function setValue(options: FastPathArgs['options'], flag: string, value: string): boolean {
  if (flag === '--format') options.format = [...(options.format ?? []), value];
  else if (flag === '--rule') options.rule = [...(options.rule ?? []), value];
  else if (flag === '--fail-on' && isFailLevel(value)) options.failOn = value;
  else return false;
  return true;
}

function isFailLevel(value: string): value is LintOptions['failOn'] {
  return ['error', 'warning', 'info', 'never'].includes(value);
}
