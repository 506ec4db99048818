import { isAbsolute } from 'node:path';
import {
  argumentsOf,
  failedResult,
  type HookCall,
  type HookClient,
  type HookInput,
  hookCallOf,
  hookResultOf,
  hookText,
  mappingOf,
  reportedCode,
  reportOf,
  sessionOf,
  splitTool,
} from './hook-event.ts';

/** Claude Code, and Codex, which uses the same events and fields. */
const claudeCode: HookClient = {
  title: 'Claude Code',
  read(input) {
    const at = sessionOf(input);
    switch (input.hook_event_name) {
      case 'SessionStart':
        return { kind: 'start', ...at };
      case 'UserPromptSubmit':
        return { kind: 'prompt', ...at, text: hookText(input.prompt) };
      case 'PreToolUse':
        return { kind: 'before', ...at, call: hookCallOf(hookText(input.tool_name), input.tool_input) };
      case 'PostToolUse': {
        const call = hookCallOf(hookText(input.tool_name), input.tool_input);
        return { kind: 'after', ...at, call, result: hookResultOf(input.tool_response) };
      }
      case 'PostToolUseFailure': {
        const call = hookCallOf(hookText(input.tool_name), input.tool_input);
        return { kind: 'after', ...at, call, result: failedResult(hookText(input.error)) };
      }
      case 'Stop':
      case 'SubagentStop': {
        const subagent = input.hook_event_name === 'SubagentStop';
        return { kind: 'stop', ...at, subagent };
      }
      default:
        return null;
    }
  },
  write({ hook_event_name: name }, answer) {
    switch (answer.kind) {
      case 'none':
        return {};
      case 'context':
        return { hookSpecificOutput: { hookEventName: name, additionalContext: answer.text } };
      case 'sendOn':
        return { decision: 'block', reason: answer.text };
      default:
        return {
          hookSpecificOutput: {
            hookEventName: name,
            permissionDecision: answer.kind,
            permissionDecisionReason: answer.text,
          },
        };
    }
  },
};

/**
 * Codex reports failed commands with the same event, and often without an exit code: then the report proves nothing. It ignores
 * `ask` and would let the call through.
 */
const codex: HookClient = {
  ...claudeCode,
  title: 'Codex',
  read(input) {
    const event = claudeCode.read(input);
    if (event?.kind !== 'after' || event.call.kind !== 'command') return event;
    return { ...event, result: reportedCode(event.result, input.tool_response) };
  },
  write: (input, answer) =>
    claudeCode.write(input, answer.kind === 'ask' ? { kind: 'deny', text: answer.text } : answer),
};

const gemini: HookClient = {
  title: 'Gemini CLI',
  read(input) {
    const at = sessionOf(input);
    const call = (): HookCall => {
      const { server_name: server, tool_name: tool } = mappingOf(input.mcp_context);
      if (typeof server === 'string' && typeof tool === 'string')
        return { kind: 'tool', server, tool, arguments: argumentsOf(input.tool_input) };
      return hookCallOf(hookText(input.tool_name), input.tool_input);
    };
    switch (input.hook_event_name) {
      case 'SessionStart':
        return { kind: 'start', ...at };
      case 'BeforeAgent':
        return { kind: 'prompt', ...at, text: hookText(input.prompt) };
      case 'BeforeTool':
        return { kind: 'before', ...at, call: call() };
      case 'AfterTool': {
        const response = mappingOf(input.tool_response);
        const error = response.error;
        const shown = hookText(response.llmContent) || hookText(mappingOf(error).message);
        const isFailed = (error !== undefined && error !== null) || /^Exit Code: [1-9]/m.test(shown);
        const result = isFailed
          ? failedResult(shown)
          : { ...hookResultOf(response), stdout: outputOf(shown) };
        return { kind: 'after', ...at, call: call(), result };
      }
      case 'AfterAgent':
        return { kind: 'stop', ...at, subagent: false };
      default:
        return null;
    }
  },
  write({ hook_event_name: name }, answer) {
    if (answer.kind === 'none') return {};
    if (answer.kind === 'context')
      return { hookSpecificOutput: { hookEventName: name, additionalContext: answer.text } };
    return { decision: answer.kind === 'ask' ? 'ask' : 'deny', reason: answer.text };
  },
};

/** Gemini puts a command's output between labels. */
function outputOf(shown: string): string {
  const [, output] =
    /^(?:Output|Stdout): ([\s\S]*?)(?:\n(?:Error|Stderr|Exit Code|Signal|Background PIDs|Process Group PGID): |$)/m.exec(
      shown,
    ) ?? [];
  return output === undefined || output === '(empty)' ? '' : output;
}

const copilot: HookClient = {
  title: 'GitHub Copilot CLI',
  read(input) {
    const at = sessionOf(input);
    const name = hookText(input.toolName ?? input.tool_name);
    const call = () => hookCallOf(name, input.toolArgs ?? input.tool_input);
    switch (eventName(input)) {
      case 'sessionStart':
        return { kind: 'start', ...at };
      case 'userPromptSubmitted':
        return { kind: 'prompt', ...at, text: hookText(input.prompt) };
      case 'preToolUse':
        return { kind: 'before', ...at, call: call() };
      case 'postToolUse': {
        const { resultType, textResultForLlm } = mappingOf(input.toolResult);
        const shown = hookText(textResultForLlm);
        const isFailed = resultType !== 'success' || /exit code [1-9]\d*/i.test(shown.slice(-60));
        const result = isFailed ? failedResult(shown) : hookResultOf(shown);
        return { kind: 'after', ...at, call: call(), result };
      }
      case 'postToolUseFailure':
        return { kind: 'after', ...at, call: call(), result: failedResult(hookText(input.error)) };
      case 'agentStop':
      case 'subagentStop':
        return { kind: 'stop', ...at, subagent: eventName(input) === 'subagentStop' };
      default:
        return null;
    }
  },
  write(_input, answer) {
    if (answer.kind === 'none') return {};
    if (answer.kind === 'context') return { additionalContext: answer.text };
    if (answer.kind === 'sendOn') return { decision: 'block', reason: answer.text };
    return { permissionDecision: answer.kind, permissionDecisionReason: answer.text };
  },
};

/** Copilot names the event in no field of its older versions: `install` adds it to the command. */
function eventName(input: HookInput): string {
  return hookText(input.hook_event_name ?? input.hookEventName ?? input.event);
}

const cursor: HookClient = {
  title: 'Cursor',
  read(input) {
    const at = sessionOf(input);
    const folder = hookText(input.cwd) || at.folder;
    const shell = (): HookCall => ({
      kind: 'command',
      command: hookText(input.command),
      background: false,
      folders: [],
    });
    const named = () => hookCallOf(hookText(input.tool_name), input.tool_input);
    const tool = (): HookCall => ({
      kind: 'tool',
      ...splitTool(hookText(input.tool_name)),
      arguments: argumentsOf(input.tool_input),
    });
    switch (input.hook_event_name) {
      case 'sessionStart':
        return { kind: 'start', ...at };
      case 'beforeSubmitPrompt':
        return { kind: 'prompt', ...at, text: hookText(input.prompt) };
      case 'beforeShellExecution':
        return { kind: 'before', ...at, folder, call: shell() };
      case 'beforeMCPExecution':
        return { kind: 'before', ...at, folder, call: tool() };
      case 'preToolUse':
        return { kind: 'before', ...at, folder, call: named() };
      case 'postToolUse': {
        const call = named();
        const output = reportOf(input.tool_output);
        const { output: stdout = output.stdout } = output;
        const shown = hookResultOf(call.kind === 'command' ? { ...output, stdout } : output);
        const result = call.kind === 'command' ? reportedCode(shown, output) : shown;
        return { kind: 'after', ...at, folder, call, result };
      }
      case 'postToolUseFailure': {
        // A refused call did not run.
        if (input.failure_type === 'permission_denied') return { kind: 'ignored' };
        const result = failedResult(hookText(input.error_message));
        return { kind: 'after', ...at, folder, call: named(), result };
      }
      case 'stop':
        return { kind: 'stop', ...at, subagent: false };
      default:
        return null;
    }
  },
  write(input, answer) {
    if (answer.kind === 'none') return {};
    if (answer.kind === 'sendOn') return { followup_message: answer.text };
    if (answer.kind === 'context')
      return input.hook_event_name === 'beforeSubmitPrompt' ? {} : { additional_context: answer.text };
    return { permission: answer.kind, user_message: answer.text, agent_message: answer.text };
  },
};

/** The plug-in file sends the events in kairos' own words. */
const opencode: HookClient = {
  title: 'opencode',
  read(input) {
    const at = sessionOf(input);
    const call = (): HookCall => {
      const made = hookCallOf(hookText(input.tool), input.args);
      // The plug-in has put the folder of the event before a relative one.
      return made.kind === 'command' ? { ...made, folders: made.folders.filter(isAbsolute) } : made;
    };
    switch (input.event) {
      case 'before':
        return { kind: 'before', ...at, call: call() };
      case 'after': {
        const { exit, output, content } = input;
        const made = call();
        if (made.kind === 'tool')
          return { kind: 'after', ...at, call: made, result: hookResultOf(content ?? output) };
        const response = {
          stdout: hookText(output),
          ...(typeof exit === 'number' ? { exit_code: exit } : {}),
        };
        return { kind: 'after', ...at, call: made, result: reportedCode(hookResultOf(response), response) };
      }
      case 'prompt':
        return { kind: 'prompt', ...at, text: hookText(input.prompt) };
      case 'idle':
        return { kind: 'stop', ...at, subagent: false };
      default:
        return null;
    }
  },
  write: (_input, answer) => ({ ...answer }),
};

/** The clients of `kairos hook`, by name. */
export const HOOK_CLIENTS = {
  'claude-code': claudeCode,
  codex,
  gemini,
  copilot,
  cursor,
  opencode,
} as const satisfies Record<string, HookClient>;

export type HookClientName = keyof typeof HOOK_CLIENTS;
