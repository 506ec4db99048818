import { shellQuote } from '../base/command-line.ts';
import { baseName, isUnknown, SHELLS, type SimpleCommand } from './commands.ts';
import { optionValues } from './nested.ts';

/** A script of `package.json` or a target of a makefile that a command runs. */
export interface NamedScripts {
  kind: 'npm' | 'make';
  names: string[];
  /** Of `make -f`. */
  file?: string;
  /** Of `make A=x`. */
  values: Readonly<Record<string, string>>;
  /** Whether make only prints the commands; those with `+` or a make in them run. */
  isDry?: boolean;
  /** What npm appends to the script. */
  passed?: readonly string[];
}

export const BUILDERS = /^(?:npm|pnpm|yarn|bun|node|deno|turbo|lerna|nx|run-s|run-p|npm-run-all|g?make)$/;

/** Whether npm only prints help. */
export function asksForHelp({ name, args }: SimpleCommand): boolean {
  return name === 'npm' && args.length === 2 && args[1] === '--help';
}

/** Programs that start a shell of themselves, or the one in their arguments, which reads their input. */
export const SHELL_STARTERS =
  /^(?:su|sudo|doas|runuser|chroot|unshare|nsenter|script|newgrp|login|docker|podman|kubectl)$/;

/** Whether a command starts a shell without a text for it. */
export function startsShell({ name, args }: SimpleCommand): boolean {
  if (name === null || !SHELL_STARTERS.test(name)) return false;
  if (/^(?:sudo|doas)$/.test(name)) return args.some((arg) => /^-(?:[A-Za-z]*[si]|-shell|-login)/.test(arg));
  return !/^(?:docker|podman|kubectl)$/.test(name) || args.some((arg) => SHELLS.has(baseName(arg)));
}

/** What settings and options of git may name: `-c core.editor=./x`. */
export const gitPrograms = ({ name, args }: SimpleCommand) =>
  name === 'git'
    ? args.flatMap((arg) => /^(?:(?:-c)?[\w-]+\.[^=]+|--[\w-]+-pack|--exec)=!?(\S+)/.exec(arg)?.[1] ?? [])
    : [];

/** The folders that options name: `make -C x`, `npm --prefix x`. */
export function foldersIn(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^-[A-Za-z]*C$/.test(arg));
  const options = ['--prefix', '--cwd', '--dir', '--directory', '--chdir', '-w', '--workspace'];
  return [...optionValues(args, options), ...(at === -1 ? [] : args.slice(at + 1, at + 2))];
}

/** The scripts or targets that a command names; null for another command. */
export function namedBy(command: SimpleCommand): NamedScripts | null {
  const { name, args } = command;
  if (name === null || !BUILDERS.test(name) || asksForHelp(command)) return null;
  const words = args.filter((arg) => /^[^-]/.test(arg) && !arg.includes('='));
  if (!name.endsWith('make')) {
    if (name === 'node' && !args.some((arg) => /^--run(?:=|$)/.test(arg))) return null;
    // Other programs run a script by its name alone.
    const first = words.slice(0, args[0]?.startsWith('-') ? 2 : 1);
    const runs = (word: string) => isUnknown(word) || /^(?:run?|run-\w*|rum|urn)$/.test(word);
    const names = name !== 'npm' || first.some(runs) ? words : [];
    return {
      kind: 'npm',
      names: [...names, ...optionValues(args, ['--run']), ...lifeCycle(first)],
      values: {},
      passed: passedArguments(command) ?? [],
    };
  }
  const [file] = optionValues(args.map(fullOption), ['-f', '--file', '--makefile']);
  const values: Record<string, string> = {};
  for (const arg of args) {
    const [, variable, value] = /^(\w+)[:?+]?=(.*)$/s.exec(arg) ?? [];
    if (variable !== undefined) values[variable] = value!;
  }
  const names = words.filter((word) => word !== file);
  const isDry =
    /^(?:-n|--dry-run|--just-print)$/.test(args[0] ?? '') && !args.some((arg) => arg.includes('='));
  return { kind: 'make', names, values, isDry, ...(file === undefined ? {} : { file }) };
}

/** The literal arguments that npm only appends to a script: `npm test x`, `npm run y -- --z`. Null for another call of npm. */
export function passedArguments({ name, args, wrappers }: SimpleCommand): string[] | null {
  const [verb = '', script = '-'] = args;
  const isRun = /^run(?:-script)?$/.test(verb) && !script.startsWith('-');
  if (name !== 'npm' || wrappers.length > 0 || args.some(isUnknown) || !(isRun || /^t(?:e?st)?$/.test(verb)))
    return null;
  const given = args.slice(isRun ? 2 : 1);
  const end = [...given, '--'].indexOf('--');
  if (given.slice(0, end).some((arg) => arg.startsWith('-'))) return null;
  return given.filter((_, at) => at !== end);
}

/** An option of make alone and in full: `-kf` is `-f`, `--fil=x` is `--file=x`. */
function fullOption(arg: string): string {
  const [, bundled] = /^-[^-CIjlWoEf]*f(.*)$/s.exec(arg) ?? [];
  if (bundled !== undefined) return `-f${bundled}`;
  const [option = '', ...value] = arg.split('=');
  const full = ['--file', '--makefile'].find((each) => option.length > 3 && each.startsWith(option));
  return full === undefined ? arg : [full, ...value].join('=');
}

const INSTALL = 'preinstall install postinstall prepublish preprepare prepare postprepare'.split(' ');
const PUBLISH = 'prepublishOnly prepack prepare postpack publish postpublish prepublish'.split(' ');
/** The scripts that commands of npm run, and its other names for them. */
const LIFE_CYCLE: [commands: string, scripts: readonly string[]][] = [
  ['t test tst', ['test']],
  ['start', ['start']],
  ['stop', ['stop']],
  ['restart', ['restart', 'stop', 'start']],
  [
    'i in ins inst insta instal install isnt isnta isntal isntall add ci ic clean-install install-clean isntall-clean',
    INSTALL,
  ],
  ['up update upgrade udpate ln link dedupe ddp rebuild rb', INSTALL],
  ['it cit sit install-test clean-install-test', [...INSTALL, 'test']],
  ['un rm r remove unlink uninstall', ['preuninstall', 'uninstall', 'postuninstall']],
  ['publish pack', PUBLISH],
  ['version verison', ['preversion', 'version', 'postversion']],
];
const EVERY_COMMAND = LIFE_CYCLE.flatMap(([commands, scripts]) =>
  commands.split(' ').map((command) => ({ command, scripts })),
);

/** What npm runs for its own commands, which it accepts by their beginning. Without a command yarn installs. */
function lifeCycle(words: readonly string[]): string[] {
  const given = words.length === 0 ? ['install'] : words;
  return given.flatMap((word) => {
    const same = EVERY_COMMAND.filter(({ command }) => command === word);
    const chosen = same.length > 0 ? same : EVERY_COMMAND.filter(({ command }) => command.startsWith(word));
    return chosen.flatMap(({ scripts }) => scripts);
  });
}

/**
 * The commands of these scripts of a `package.json`, with those that npm runs before and after them; of all for an unknown name.
 * `passed`: the arguments for a script itself.
 */
export function npmCommands(
  source: string,
  names: readonly string[],
  passed: readonly string[] = [],
): string {
  let scripts: Record<string, unknown> = {};
  try {
    scripts = (JSON.parse(source.replace(/^\ufeff/, '')) as { scripts?: typeof scripts }).scripts ?? {};
  } catch {
    // Bun and pnpm also read comments, JSON5 and YAML. Any text may be a script then, and any line without its key.
    const texts = [...source.matchAll(/(["'])((?:(?!\1)[^\\]|\\[\s\S])*)\1/g)].map(([, , text]) =>
      text!.replace(/\\u([\da-f]{4})|\\(.)/gi, unescaped),
    );
    if (/^\s*\{/.test(source)) return texts.join('\n');
    const lines = `${source}\n${source.replace(/\s*\n\s+/g, ' ')}`;
    return [...texts, lines.replace(/^\s*(?:- )?[\w:.@/"'-]+:(?=\s)/gm, '')].join('\n');
  }
  const wanted = names.some(isUnknown) ? Object.keys(scripts) : names;
  const text = (name: string) => (Object.hasOwn(scripts, name) ? [String(scripts[name])] : []);
  const given = (script: string) => [script, ...passed.map(shellQuote)].join(' ');
  return wanted
    .flatMap((name) => [...text(`pre${name}`), ...text(name).map(given), ...text(`post${name}`)])
    .join('\n');
}

function unescaped(_: string, code: string | undefined, character: string): string {
  return code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16));
}

/** The files that a makefile includes. */
export function makeIncludes(source: string): string[] {
  return [...source.matchAll(/^[ ]*[-s]?include[ \t]+([^#\n]+)/gm)].flatMap(([, words]) =>
    words!.trim().split(/\s+/),
  );
}

/** Of the values of variables that are filled in, in UTF-16 units. */
const MAX_FILLED = 1 << 20;
/** Variables that make itself sets, to programs that run nothing else. */
const MAKES_OWN = /^(?:CC|CXX|CPP|AR|AS|LD|FC|RM|LEX|YACC)$/;

/**
 * The commands of these targets of a makefile, or of its first one, of everything that they need, and of its pattern rules; of all
 * targets for a makefile that writes rules itself. Null for one whose variables are too long. `known`: the value of a variable that the makefile doesn't set, or that the call sets.
 */
export function makeCommands(
  source: string,
  names: readonly string[],
  known: (name: string) => string | undefined = () => undefined,
  isDry = false,
): string | null {
  const variables = new Map<string, string>();
  const rules = new Map<string, string[]>();
  const needed = new Map<string, string[]>();
  const always: string[] = [];
  let targets: string[] = [];
  const [, prefix = '\t'] = /^\.RECIPEPREFIX\s*:?=\s*(\S)/m.exec(source) ?? [];
  const add = (line: string) => {
    if (isDry && !/^[\s@-]*\+|make|\$[({]MAKE/.test(line)) return;
    for (const target of targets) rules.get(target)!.push(line.trim().replace(/^[\s@+-]+/, ''));
  };
  let room = MAX_FILLED;
  const fill = (text: string, depth = 0): string =>
    text.replace(
      /\$(?:\(([\w.-]+)\)|\{([\w.-]+)\}|[$@<^?*+|%])/g,
      (found, round?: string, curly?: string) => {
        const name = round ?? curly;
        if (name === undefined) return found === '$$' ? '$' : 'FILES';
        if (name === 'MAKE') return 'make';
        const value = known(name) ?? variables.get(name) ?? (MAKES_OWN.test(name) ? name : '');
        room -= value.length;
        return depth < 5 && room >= 0 ? fill(value, depth + 1) : name;
      },
    );
  for (const line of source.replaceAll('\\\n', ' ').split('\n')) {
    if (line.startsWith(prefix)) {
      add(line.slice(1));
      continue;
    }
    // Read with the makefile, for every target.
    const [, run = ''] = /!=(.*)$/.exec(line) ?? [];
    const [, called = ''] = /\$[({]shell\s(.*)/.exec(line) ?? [];
    always.push(run, called.replace(/[)}][^)}]*$/, ''));
    const [, variable, value] =
      /^\s*(?:(?:export|override)\s+)*([\w.-]+)\s*[:?+]{0,3}=\s*(.*)$/.exec(line) ?? [];
    const [, left, right] = /^([^\s#:=][^#:=]*)&?::?(?!=)(.*)$/.exec(line) ?? [];
    if (variable !== undefined) variables.set(variable, value!);
    else if (left !== undefined) {
      targets = fill(left).trim().split(/\s+/);
      for (const target of targets) rules.set(target, rules.get(target) ?? []);
      const [needs = '', command = ''] = right!.split(';');
      const sources = fill(needs)
        .split(/[\s|]+/)
        .filter(Boolean);
      for (const target of targets) needed.set(target, needed.get(target) ?? []);
      for (const target of targets) for (const each of sources) needed.get(target)!.push(each);
      if (command !== '') add(command);
    }
  }
  const all = [...rules.keys()];
  const first = all.find((target) => !target.startsWith('.'));
  const isOpen = names.some(isUnknown) || /^\s*define\s|\$[({](?:eval|call)\s/m.test(source);
  const wanted = isOpen ? all : names.length > 0 ? names : first === undefined ? [] : [first];
  const made = new Set([...wanted, ...all.filter((target) => target.includes('%'))]);
  for (const target of made) for (const need of needed.get(target) ?? []) made.add(need);
  const lines = [...made].flatMap((target) =>
    (rules.get(target) ?? []).map((line) => line.replace(/\$@|\$\(@\)/g, target)),
  );
  const commands = [...always, ...lines].map((line) => fill(line).replace(/\$\(shell /g, '$('));
  return room < 0 ? null : commands.filter(Boolean).join('\n');
}

/** What a tool seems to give to a shell, such as one behind MCP, one command a line; empty for others. */
export function toolScript({
  tool,
  server,
  arguments: given,
}: {
  tool: string;
  server: string | null;
  arguments: unknown;
}): string {
  // A patch of files.
  return server === null && tool === 'apply_patch' ? '' : scriptsIn(given).join('\n');
}

const ONE_COMMAND = /^(?:command|cmd|script|shell_?command|command_?line|shell)$/i;

function scriptsIn(given: unknown, depth = 0): string[] {
  if (typeof given !== 'object' || given === null || depth > 4) return [];
  const { args } = given as { args?: unknown };
  return Object.entries(given).flatMap(([key, value]) => {
    const isText = typeof value === 'string' || Array.isArray(value);
    if (ONE_COMMAND.test(key) && isText) return [[value, Array.isArray(args) ? args : []].flat().join(' ')];
    if (key === 'commands' && Array.isArray(value))
      return value.flatMap((each) => (typeof each === 'string' ? [each] : scriptsIn([each], depth + 1)));
    // Of another language, in which `!` may begin a command of the shell.
    if (key === 'code' && typeof value === 'string')
      return [`python -c ${shellQuote(value)}`, ...value.matchAll(/^\s*[!%]+(?:sx|sh|bash)?\s*(.+)$/gm)].map(
        (found) => (typeof found === 'string' ? found : found[1]!),
      );
    return scriptsIn(value, depth + 1);
  });
}
