import { parseToolArguments } from './tool-arguments.ts';

/** A line in the spelling from before there were step blocks: `PROOF OF WORK: npm test`. */
export interface ProofLine {
  /** The text after the colon, without emphasis around it. */
  command: string;
  /** Offset of the command in the text. */
  start: number;
}

const LEAD =
  /^(\*{1,3}|_{1,3})?proof[ \t-]+of[ \t-]+work(\*{1,3}|_{1,3})?[ \t]*[:\uff1a](\*{1,3}|_{1,3})?[ \t]*/i;

/** Reads a line of text (no list marker, no white space around it) as a proof line; null for any other. */
export function matchProofLine(text: string): ProofLine | null {
  const lead = LEAD.exec(text);
  if (lead === null) return null;
  const [all, opened, closedBefore, closedAfter] = lead;
  let command = text.slice(all.length);
  // `**PROOF OF WORK: npm test**`: the emphasis spans the whole line.
  if (opened !== undefined && closedBefore !== opened && closedAfter !== opened && command.endsWith(opened)) {
    command = command.slice(0, -opened.length).trimEnd();
  }
  return { command, start: all.length };
}

/** Why a proof line cannot be used, as a word that `describeProblem` knows. */
export type ProofLineFault = 'line-empty' | 'line-comment' | 'line-tool' | 'line-arguments';

export type ProofLineReading =
  | { demand: Record<string, unknown>; ignored: string | undefined; isDoubtful: boolean }
  | { fault: ProofLineFault };

/**
 * The step block that the command of a proof line stands for, defaults not filled in. `ignored` is prose after a command
 * in backticks, which stays in the step's text; `isDoubtful` a command that has backticks somewhere inside, or another
 * proof line or a fence behind it, and so may be a sentence.
 */
export function readProofLine(command: string): ProofLineReading {
  const span = leadingCode(command);
  const text = span?.code ?? command;
  if (text === '') return { fault: 'line-empty' };
  const demand = readDemand(text);
  if (typeof demand === 'string') return { fault: demand };
  const ignored = span === null || span.rest === '' ? undefined : span.rest;
  const isDoubtful = span === null ? text.includes('`') : /^proof[\s_-]+of|`{3}|~{3}/i.test(span.rest);
  return { demand: { proof_of_work: demand }, ignored, isDoubtful };
}

/** Words after a command as a separate paragraph: text that would begin something else there is escaped. */
export function wordsAsText(words: string): string {
  return /^[#>+*=~|<`_{[-]/.test(words) ? `\\${words}` : words;
}

function readDemand(text: string): Record<string, unknown> | ProofLineFault {
  const [, keyword, rest = ''] = /^(mcp|user_input|comment)(?:[ \t]+(.*))?$/i.exec(text) ?? [];
  switch (keyword?.toLowerCase()) {
    case 'mcp':
      return readTool(rest.trim());
    case 'user_input':
      return { type: 'user_input', user_input: { prompt: unquoted(rest.trim()) } };
    case 'comment':
      return readComment(rest.trim());
    default:
      return { type: 'shell', shell: readShell(text) };
  }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `timeout 30s npm test`, as the command of that name has it; seconds when there is no unit. */
function readShell(text: string): Record<string, unknown> {
  const [, amount, unit, cmd] = /^timeout[ \t]+(\d{1,9})([smhd])?[ \t]+(\S.*)$/.exec(text) ?? [];
  if (cmd === undefined) return { cmd: text };
  return { cmd, timeout_seconds: Number(amount) * SECONDS[unit ?? 's']! };
}

function readTool(text: string): Record<string, unknown> | ProofLineFault {
  const [, name, rest] = /^([^\s=]+)(?:[ \t]+(.*))?$/.exec(text) ?? [];
  if (name === undefined) return 'line-tool';
  if (rest === undefined) return { type: 'mcp', mcp: { tool_name: name } };
  const args = parseToolArguments(rest.trim());
  if (args === null) return 'line-arguments';
  return { type: 'mcp', mcp: { tool_name: name, arguments: args } };
}

function readComment(text: string): Record<string, unknown> | ProofLineFault {
  if (text === '') return { type: 'comment', comment: {} };
  const length = /^min_length[ \t]*[=:][ \t]*(\d{1,9})$/i.exec(text)?.[1];
  return length === undefined ? 'line-comment' : { type: 'comment', comment: { min_length: Number(length) } };
}

function unquoted(text: string): string {
  return (
    /^(?:"(.*)"|'(.*)'|“(.*)”)$/
      .exec(text)
      ?.slice(1)
      .find((inner) => inner !== undefined) ?? text
  );
}

/** A code span (CommonMark 6.1) at the beginning, and what follows it. */
function leadingCode(text: string): { code: string; rest: string } | null {
  const ticks = /^`+/.exec(text)?.[0];
  if (ticks === undefined) return null;
  for (const run of text.slice(ticks.length).matchAll(/`+/g)) {
    if (run[0].length !== ticks.length) continue;
    const code = text.slice(ticks.length, ticks.length + run.index).trim();
    return { code, rest: text.slice(ticks.length + run.index + ticks.length).trim() };
  }
  return null;
}
