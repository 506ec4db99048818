import { isObject } from '../../../base/json.ts';
import { parseJson } from '../../../formats/json/parse.ts';

/** The events of an agent client that kairos acts on, in one vocabulary. */
export type HookEvent =
  /** Known, but kairos doesn't act on it. */
  | { kind: 'ignored' }
  | { kind: 'start'; session: string; folder: string }
  | { kind: 'prompt'; session: string; folder: string; text: string }
  | { kind: 'before'; session: string; folder: string; call: HookCall }
  | { kind: 'after'; session: string; folder: string; call: HookCall; result: HookResult }
  | { kind: 'stop'; session: string; folder: string; subagent: boolean };

/** A tool call as a client describes it. */
export type HookCall =
  | {
      kind: 'command';
      command: string;
      background: boolean;
      /** Where the call itself asks to run it: one folder, none for that of the event, or more if it is unclear which one counts. */
      folders: string[];
    }
  | { kind: 'tool'; tool: string; server: string | null; arguments: unknown };

/** What a client reports about a call's result. */
export interface HookResult {
  /** Null: the client doesn't report it. */
  exitCode: number | null;
  succeeded: boolean;
  stdout?: string;
  stderr?: string;
  /** The result of a tool. */
  value?: unknown;
}

/** What kairos answers to an event. */
export type HookAnswer =
  | { kind: 'none' }
  | { kind: 'context'; text: string }
  | { kind: 'deny' | 'ask'; text: string }
  | { kind: 'sendOn'; text: string };

/** The hook format of a client. */
export interface HookClient {
  title: string;
  /** Null for an unknown event. Throws Error for arguments that can't be understood. */
  read(input: Record<string, unknown>): HookEvent | null;
  /** The JSON that the client expects on standard output. */
  write(input: Record<string, unknown>, answer: HookAnswer): Record<string, unknown>;
}

export type HookInput = Record<string, unknown>;

export const hookText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const mappingOf = (value: unknown): HookInput => (isObject(value) ? (value as HookInput) : {});

/** A mapping, or its JSON text. Throws Error if the text is broken, or has a key twice, of which clients may use either. */
export function jsonMapping(text: string): HookInput {
  const parsed = parseJson(text);
  if (parsed === undefined || parsed.hasDuplicates || parsed.value !== mappingOf(parsed.value))
    throw new Error('the input of the hook is not an object in JSON with different keys');
  return parsed.value as HookInput;
}

/** JSON text where some clients send an object. */
export function argumentsOf(value: unknown): HookInput {
  return typeof value === 'string' && /^\s*\{/.test(value) ? jsonMapping(value) : mappingOf(value);
}

/** The report of a call; it may be a text that isn't JSON. */
export function reportOf(value: unknown): HookInput {
  try {
    return argumentsOf(value);
  } catch {
    return {};
  }
}

/** Tools that run shell commands, by the names that the clients give them. */
const SHELL_TOOLS = new Set([
  ...['Bash', 'bash', 'shell', 'Shell', 'local_shell', 'unified_exec', 'exec_command', 'PowerShell'],
  ...['run_shell_command', 'powershell', 'run_terminal_cmd', 'terminal', 'Monitor'],
]);

/** Tools that type into a shell that is open. */
const TYPING_TOOLS: Record<string, string> = {
  write_bash: 'input',
  write_powershell: 'input',
  write_stdin: 'chars',
};

/** The server and the tool in a client's name for an MCP tool. */
export function splitTool(name: string): { server: string | null; tool: string } {
  const [, server, tool] =
    /^mcp__(.+?)__(.+)$/.exec(name) ??
    /^mcp_([^_]+)_(.+)$/.exec(name) ??
    /^MCP:([^:]+):(.+)$/.exec(name) ??
    [];
  return server === undefined || tool === undefined
    ? { server: null, tool: name.replace(/^MCP:/, '') }
    : { server, tool };
}

export function hookCallOf(name: string, input: unknown): HookCall {
  const args = argumentsOf(input);
  const isShell = SHELL_TOOLS.has(name);
  const typed = args[TYPING_TOOLS[name] ?? ''];
  // Keys such as `{enter}`.
  if (typeof typed === 'string')
    return { kind: 'command', command: typed.replace(/\{\w+\}/g, '\n'), background: true, folders: [] };
  // A client uses one of these and ignores the others.
  const commands = [args.command, args.cmd, args.script, Object.keys(args).length > 0 ? null : input]
    .filter((each) => typeof each === 'string' || Array.isArray(each))
    .map((each) => (Array.isArray(each) ? commandLine(each.map(String)) : String(each)));
  if (isShell && commands.length === 0) throw new Error(`${name} has no command`);
  if (isShell) {
    const { workdir, dir_path, directory, working_directory, cwd } = args;
    const given = [workdir, dir_path, directory, working_directory, cwd].map(hookText).filter(Boolean);
    const background = args.run_in_background === true || args.is_background === true;
    const command = [...new Set(commands)].join('\n');
    return { kind: 'command', command, background, folders: [...new Set(given)] };
  }
  return { kind: 'tool', ...splitTool(name), arguments: args };
}

/** `["bash", "-lc", "git push"]` is the command `git push`; other lists are quoted word by word. */
function commandLine(words: readonly string[]): string {
  const [shell = '', flag = '', script] = words;
  if (/(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag) && words.length === 3) return script!;
  return words
    .map((word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** The result of a shell or MCP tool, in the forms that the clients give it. */
export function hookResultOf(response: unknown): HookResult {
  const given = typeof response === 'string' ? { stdout: response } : mappingOf(response);
  const exit = given.exit_code ?? given.exitCode ?? mappingOf(given.metadata).exit_code;
  const isOpen = given.backgroundTaskId !== undefined || given.interrupted === true;
  const isUnclear = isOpen || given.returnCodeInterpretation !== undefined;
  const exitCode = typeof exit === 'number' ? exit : isUnclear ? null : 0;
  const isError = given.isError === true || given.is_error === true;
  return {
    exitCode,
    succeeded: !isError && !isOpen,
    ...(typeof given.stdout === 'string' ? { stdout: given.stdout } : {}),
    ...(typeof given.stderr === 'string' ? { stderr: given.stderr } : {}),
    value: toolValue(response),
  };
}

/** A result whose exit code counts only where the client's own report has one. */
export function reportedCode(result: HookResult, response: unknown): HookResult {
  const { exit_code, exitCode, metadata } = mappingOf(response);
  if ([exit_code, exitCode, mappingOf(metadata).exit_code].some((code) => typeof code === 'number'))
    return result;
  return { ...result, exitCode: null, succeeded: false };
}

/** MCP results come whole, as their content blocks, or as text. */
function toolValue(response: unknown): unknown {
  if (Array.isArray(response)) return { content: response };
  const { structuredContent, content, llmContent } = mappingOf(response);
  if (structuredContent !== undefined || content !== undefined) return response;
  return llmContent ?? response;
}

/** `Exit code 2` in the words with which a client reports a failed command. */
export function failedResult(error: string): HookResult {
  const [, code] = /\bexit(?:ed with)?(?: code| status)?:? (\d+)/i.exec(error) ?? [];
  const isCut = /timed? ?out|interrupt|abort|cancel/i.test(error) && code === undefined;
  return {
    exitCode: code === undefined ? null : Number(code),
    succeeded: false,
    stderr: error,
    ...(isCut ? {} : { value: { isError: true, content: [{ type: 'text', text: error }] } }),
  };
}

export const sessionOf = (input: HookInput) => ({
  session: hookText(input.session_id ?? input.sessionId ?? input.conversation_id),
  folder: hookText(input.cwd) || hookText((input.workspace_roots as unknown[] | undefined)?.[0]),
});

/** The run in an answer of `kairos_begin`: in its structure, or in its text as JSON. */
export function runIdIn(value: unknown, depth = 0): string | null {
  if (depth > 4) return null;
  if (typeof value === 'string') {
    try {
      return value.includes('run_id') ? runIdIn(JSON.parse(value), depth + 1) : null;
    } catch {
      return /"run_id"\s*:\s*"([0-9a-f-]{36})"/.exec(value)?.[1] ?? null;
    }
  }
  if (typeof value !== 'object' || value === null) return null;
  const { run_id: own } = value as { run_id?: unknown };
  if (typeof own === 'string') return own;
  for (const item of Object.values(value)) {
    const found = runIdIn(item, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
