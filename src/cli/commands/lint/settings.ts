import { programName } from '../../../base/command-line.ts';
import { KairosError, meantOrAll } from '../../../base/errors.ts';
import { type Format, REPORTERS } from '../../../lint/reporters/index.ts';

/** A format and where its text goes; null is standard output, also written `-`. */
export interface Destination {
  format: Format;
  file: string | null;
}

/** Reads `--format` values, and `--json`. Throws USAGE for an unknown format, or two that would mix on standard output. */
export function destinations(values: readonly string[] | undefined, isJson: boolean): Destination[] {
  if (values === undefined) return [{ format: isJson ? 'json' : 'stylish', file: null }];
  const found = values.map((value): Destination => {
    const colon = value.indexOf(':');
    const name = colon === -1 ? value : value.slice(0, colon);
    const given = colon === -1 ? '-' : value.slice(colon + 1);
    const file = given === '-' ? null : given;
    if (!Object.hasOwn(REPORTERS, name)) throw unknownFormat(name);
    if (file === '')
      throw new KairosError('USAGE', `--format ${value} names no file`, {
        hint: `Write ${name}:FILE or ${name}.`,
      });
    return { format: name as Format, file };
  });
  const shown = found.find(({ format, file }) => file === null && format !== 'json');
  if (isJson && shown !== undefined) {
    throw new KairosError('USAGE', `--json and --format ${shown.format} exclude each other`, {
      hint: `Keep one of them, or give the other a file: --format ${shown.format}:FILE.`,
    });
  }
  if (isJson && shown === undefined && found.every(({ file }) => file !== null)) {
    found.push({ format: 'json', file: null });
  }
  if (found.filter(({ file }) => file === null).length > 1) {
    throw new KairosError('USAGE', 'two formats would mix on standard output', {
      hint: 'Give all but one a file, for example --format sarif:lint.sarif.',
    });
  }
  return found;
}

/** Rejects options that exclude each other. Throws USAGE. */
export function checkCombination(paths: readonly string[], options: LintOptions): void {
  const fixes = options.fix === true || isProposal(options);
  const refuse = (message: string, hint: string) => {
    throw new KairosError('USAGE', message, { hint });
  };
  for (const { name, fitting } of WITHOUT_DOCUMENTS) {
    if (options[name] === undefined) continue;
    const other = paths.length > 0 ? 'paths' : given(options, [name, ...fitting])[0];
    if (other !== undefined)
      refuse(`${flagOf(name)} does not accept ${other}`, 'It lints nothing: leave the rest out.');
  }
  if (paths.includes('-') && paths.length > 1)
    refuse('- cannot be combined with files', 'Lint the files in a separate call.');
  if (options.stdinFilename !== undefined && !paths.includes('-')) {
    refuse(
      '--stdin-filename needs - as the path',
      `Pipe the text in: ${programName()} lint - --stdin-filename FILE.`,
    );
  }
  if (options.configTwice) {
    refuse('--config and --no-config exclude each other', 'Keep one of them.');
  }
  if (options.unsafeFixes && !fixes) refuse('--unsafe-fixes needs --fix or --diff', 'Add one of them.');
  if (options.fix && isProposal(options)) refuse('--fix and --diff exclude each other', 'Keep one of them.');
  if (options.updateBaseline && options.baseline === undefined) {
    refuse('--update-baseline needs --baseline FILE', 'Name the file.');
  }
  if (options.watch && (paths.includes('-') || options.updateBaseline)) {
    refuse('--watch needs files, and no baseline to write', 'Name files or folders.');
  }
}

/** Options with which nothing is linted, and those that fit them. */
const WITHOUT_DOCUMENTS = [
  { name: 'explain', fitting: [] },
  { name: 'printConfig', fitting: ['config', 'rule'] },
] as const;

/** The given lint options as flags, except `fitting`. */
function given(options: LintOptions, fitting: readonly string[]): string[] {
  return Object.entries(options)
    .filter(([name, value]) => value !== undefined && !fitting.includes(name) && !COMMON.has(name))
    .filter(([name, value]) => UNSAID[name] !== value)
    .map(([name, value]) => flagOf(name, value));
}

/** Of every command; the parser's own note. */
const COMMON = new Set([
  'store',
  'space',
  'json',
  'policy',
  'workdir',
  'root',
  'color',
  'debug',
  'configTwice',
]);
/** The defaults. */
const UNSAID: Readonly<Record<string, unknown>> = { failOn: 'error', inlineConfig: true };

function flagOf(name: string, value: unknown = true): string {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return value === false ? `--no-${words}` : `--${words}`;
}

/** Whether changes are shown instead of made. */
export function isProposal({ diff, fixDryRun }: LintOptions): boolean {
  return diff === true || fixDryRun === true;
}

function unknownFormat(name: string): KairosError {
  return new KairosError('USAGE', `there is no format named ${JSON.stringify(name)}`, {
    hint: meantOrAll(name, 'Formats', Object.keys(REPORTERS)),
  });
}

export interface LintOptions {
  stdinFilename?: string;
  /** `name` or `name:file`. */
  format?: string[];
  failOn: 'error' | 'warning' | 'info' | 'never';
  maxWarnings?: number;
  quiet?: boolean;
  fix?: boolean;
  fixDryRun?: boolean;
  diff?: boolean;
  unsafeFixes?: boolean;
  /** False: `--no-config`. */
  config?: string | false;
  /** Both were given; the parser keeps the last one. */
  configTwice?: boolean;
  printConfig?: string;
  baseline?: string;
  updateBaseline?: boolean;
  sarifSuppressed?: boolean;
  exitZero?: boolean;
  inlineConfig: boolean;
  /** `ID=severity`. */
  rule?: string[];
  explain?: string;
  watch?: boolean;
}
