import { canonical } from '../base/canonical.ts';
import { globs, shellQuote } from '../base/command-line.ts';
import { isObject } from '../base/json.ts';
import type { Hold } from '../protocol/schema.ts';
import { toolScript } from '../shell/builders.ts';
import { findHeld, namesWords } from '../shell/held.ts';
import { mentions } from '../shell/nested.ts';
import { mayContain, readCommandPattern, readings, sameCommand } from '../shell/same-command.ts';

/** Where a hold comes from. A call must satisfy each origin with a hold for it: an added hold never loosens another one. */
export type HoldOrigin = 'machine' | 'user' | 'protocol';

export interface ListedHold {
  hold: Hold;
  origin: HoldOrigin;
  /** The file, or the digest of the protocol. */
  source: string;
}

/** What an agent is about to do. */
export type AgentCall =
  | {
      kind: 'command';
      command: string;
      /** Absolute. */
      folder: string;
      /** The text of what it runs, and what of that could not be read. */
      scripts: readonly { path: string | null; text: string }[];
      unread?: string | null;
      /** A file that it writes and then runs. */
      written?: string | null;
    }
  | { kind: 'tool'; tool: string; server: string | null; arguments: unknown };

/** What the pending step of a run demands. */
export type StepDemand =
  | {
      kind: 'command';
      command: string;
      folder: string | null;
      /** Of inputs and captures that aren't secret: a call must export those that it uses. */
      values?: Readonly<Record<string, string>>;
    }
  | { kind: 'tool'; tool: string; server: string | null; arguments: unknown; folder?: string | null };

/** A run that belongs to the agent's session. */
export interface SessionRun {
  runId: string;
  slug: string;
  /** Null: open. */
  outcome: 'success' | 'failure' | null;
  /** 1-based; null when none is pending. */
  step: number | null;
  demand: StepDemand | null;
  /** False: the step waits for a proposal or its permit. */
  permitted: boolean;
  /**
   * False: the user trusts other content of the protocol, this content is not the stored one, or no hold of the call names the
   * protocol. It lets nothing through.
   */
  accepted: boolean;
}

/** A hold that covers a call, and the part of the call that it covers. */
export interface HoldMatch {
  listed: ListedHold;
  certainty: 'same' | 'possible';
  text: string;
}

type CommandCall = Extract<AgentCall, { kind: 'command' }>;
type ToolCall = Extract<AgentCall, { kind: 'tool' }>;
type IsLate = () => boolean;
type CoveredPart = Pick<HoldMatch, 'certainty' | 'text'>;

/** The holds that cover a call. `isLate`: when it is true, all commands that the text of the call names count as held. */
export function matchHolds(holds: readonly ListedHold[], call: AgentCall, isLate?: IsLate): HoldMatch[] {
  const texts = call.kind === 'tool' ? { command: toolScript(call) } : call;
  return holds.flatMap((listed) => {
    const { match } = listed.hold;
    const found =
      call.kind === 'tool' && match.tool ? coversTool(match, call) : coversText(match, texts, isLate);
    return found === null ? [] : [{ listed, ...found }];
  });
}

/** The texts of a call that a shell runs; of a tool what it seems to give to one. */
export function shellTexts(call: AgentCall): string[] {
  if (call.kind === 'command') return [call.command, ...call.scripts.map(({ text }) => text)];
  return [toolScript(call)].filter((text) => text !== '');
}

function coversTool({ tool: pattern = '', arguments: wanted = {} }: Hold['match'], call: ToolCall) {
  const { tool, server } = call;
  const names = server === null ? [tool] : [tool, `${server}/${tool}`];
  const isSame = names.some((name) => globs(pattern, name));
  if (!(isSame || isToolNamed(pattern, call)) || !hasArguments(call.arguments, wanted)) return null;
  return { certainty: isSame ? ('same' as const) : ('possible' as const), text: names.at(-1)! };
}

function coversText(
  { command }: Hold['match'],
  { command: script, scripts, unread, written }: Partial<CommandCall> & { command: string },
  isLate?: IsLate,
): CoveredPart | null {
  // Some shells drop the line ends of Windows.
  const texts = [{ path: null, text: script.replaceAll('\r', '') }, ...(scripts ?? [])];
  const some = command === undefined ? [] : texts.filter(({ text }) => mayContain(text, command));
  const pattern = some.length === 0 ? null : readCommandPattern(command!);
  // No program gets a zero byte: what a client makes of it is unknown.
  const open = script.includes('\0') ? script : unread;
  const rest = command && open ? ({ certainty: 'possible', text: open } as const) : null;
  if (pattern === null) return rest;
  if (written && namesWords(script, pattern)) return { certainty: 'possible', text: written };
  for (const { path, text } of some) {
    const found = findHeld(text, pattern, isLate, scripts !== undefined);
    if (found !== null) return path === null ? found : { ...found, text: `${found.text} (in ${path})` };
  }
  return rest;
}

/**
 * Whether a pattern may be this tool: in another letter case, where the client puts more before the name of the server
 * (`plugin_x_github`), or writes the server into the name of the tool (`SERVER-TOOL`).
 */
function isToolNamed(pattern: string, { tool, server }: ToolCall): boolean {
  const [name, place] = pattern.toLowerCase().split('/').reverse() as [string, string?];
  const ends = (end: string, text: string) =>
    ['', '*-', '*_'].some((before) => globs(`${before}${end}`, folded(text)));
  // Where a server has two underscores in its name, it isn't clear where the tool begins.
  if (server !== null)
    return place === undefined
      ? [name, `*__${name}`].some((each) => globs(each, folded(tool)))
      : ends(`${place}__${name}`, `${server}__${tool}`);
  if (place === undefined) return ends(name, tool);
  return [name, `${place}-${name}`, `${place}_${name}`].some((each) => globs(each, folded(tool)));
}

/** Without letter case, and without letters that look alike and space around it, which a server may remove. */
const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase();

/** Whether a value has everything that is expected of it; texts may have gaps. Many servers ignore letter case and convert texts. */
function hasArguments(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted) && !Array.isArray(wanted)) {
    const given = isObject(value) || Array.isArray(value) ? canonical(value) : String(value ?? null);
    return globs(String(wanted).toLowerCase(), given.toLowerCase());
  }
  if (!isObject(wanted)) return canonical(value ?? null) === canonical(wanted);
  return (
    isObject(value) &&
    Object.entries(wanted).every(([key, item]) => Object.hasOwn(value, key) && hasArguments(value[key], item))
  );
}

/** Why a hold keeps a call back. */
export type HoldReason =
  | 'no-run'
  | 'not-trusted'
  | 'other-step'
  | 'not-demanded'
  | 'no-permit'
  | 'not-attested';

export type HoldVerdict =
  | { outcome: 'allow' }
  | { outcome: 'deny' | 'ask'; match: HoldMatch; reason: HoldReason; run: SessionRun | null };

/** Judges a call by the holds that cover it and the runs of the session. Without a hold every call is allowed. */
export function judgeHolds(
  matches: readonly HoldMatch[],
  runs: readonly SessionRun[],
  call: AgentCall,
): HoldVerdict {
  let asks: HoldVerdict | null = null;
  for (const origin of new Set(matches.map(({ listed }) => listed.origin))) {
    const verdicts = matches
      .filter(({ listed }) => listed.origin === origin)
      .map((match) => judgeHold(match, runs, call));
    if (verdicts.some(({ outcome }) => outcome === 'allow')) continue;
    const best = verdicts.toSorted((a, b) => progress(b) - progress(a));
    const denied = best.find(({ outcome }) => outcome === 'deny');
    if (denied !== undefined) return denied;
    asks ??= best[0] ?? null;
  }
  return asks ?? { outcome: 'allow' };
}

/** How far a run of the hold's protocol is: the agent can continue the one that is nearest to the call. */
const progress = (verdict: HoldVerdict) =>
  verdict.outcome === 'allow' || verdict.reason === 'no-run'
    ? 0
    : ['not-trusted', 'not-attested', 'other-step', 'not-demanded', 'no-permit'].indexOf(verdict.reason) + 1;

function judgeHold(match: HoldMatch, runs: readonly SessionRun[], call: AgentCall): HoldVerdict {
  const { hold } = match.listed;
  const named = runs.filter(({ slug }) => slug === hold.protocol);
  const own = named.filter(({ accepted }) => accepted);
  const kept = (reason: HoldReason, run: SessionRun | null): HoldVerdict => ({
    outcome: hold.else,
    match,
    reason,
    run,
  });
  if (own.length === 0 && named[0] !== undefined) return kept('not-trusted', named[0]);
  const done = own.find(({ outcome }) => outcome === 'success');
  const open = own.filter(({ outcome }) => outcome === null);
  if (hold.allow_when === 'attested') {
    if (done !== undefined) return { outcome: 'allow' };
    return open[0] === undefined ? kept('no-run', null) : kept('not-attested', open[0]);
  }
  const [run] = open;
  if (run === undefined) return kept('no-run', null);
  const here = open.filter(({ step }) => hold.step === undefined || step === hold.step);
  if (here[0] === undefined) return kept('other-step', run);
  if (hold.allow_when === 'open') return { outcome: 'allow' };
  const demanded = here.filter((each) => isDemanded(each, call));
  if (demanded[0] === undefined) return kept('not-demanded', here[0]);
  return demanded.some(({ permitted }) => permitted) ? { outcome: 'allow' } : kept('no-permit', demanded[0]);
}

/** Whether a call is just what the pending step of an open run demands. */
export function isDemanded(
  { outcome, demand }: Pick<SessionRun, 'outcome' | 'demand'>,
  call: AgentCall,
): boolean {
  if (outcome !== null || demand === null || demand.kind !== call.kind) return false;
  if (call.kind === 'tool' && demand.kind === 'tool') {
    return (
      (call.tool === demand.tool || isJoined(call, demand)) &&
      (demand.server === null || call.server === null || demand.server === call.server) &&
      (demand.arguments === undefined || canonical(call.arguments ?? {}) === canonical(demand.arguments))
    );
  }
  if (call.kind !== 'command' || demand.kind !== 'command') return false;
  const used = usedValues(demand, call);
  return readings(call.command, call.folder).some(
    ({ command, folder, values }) =>
      sameCommand(command, demand.command) &&
      isFolder(folder, demand.folder) &&
      used.every(([name]) => Object.hasOwn(values, name)) &&
      Object.entries(values).every(([name, value]) => demand.values?.[name] === value),
  );
}

/** The values that a demanded command uses, itself or in its scripts. */
function usedValues(
  { command, values = {} }: Extract<StepDemand, { kind: 'command' }>,
  { scripts }: Extract<AgentCall, { kind: 'command' }>,
): [name: string, value: string][] {
  const texts = [command, ...scripts.map(({ text }) => text)];
  return Object.entries(values).filter(([name]) => texts.some((text) => mentions(text, name)));
}

/** The demanded command with the values that it uses, literally as it may be run; null for a tool. */
export function lineWithValues({ demand }: SessionRun, call: AgentCall): string | null {
  if (demand?.kind !== 'command' || call.kind !== 'command') return null;
  const used = usedValues(demand, call).map(([name, value]) => `${name}=${shellQuote(value)}`);
  return used.length === 0 ? demand.command : `export ${used.join(' ')}; ${demand.command}`;
}

/** Whether a client that doesn't name the server wrote `SERVER-TOOL` or `SERVER_TOOL`. */
function isJoined(call: Pick<ToolCall, 'tool' | 'server'>, demand: Pick<ToolCall, 'tool' | 'server'>) {
  const place = demand.server ?? '*';
  if (call.server !== null) return false;
  return ['-', '_'].some((between) => globs(`${place}${between}${demand.tool}`, call.tool));
}

function isFolder(folder: string, demanded: string | null): boolean {
  return demanded === null || folder.replace(/(?<=.)\/+$/, '') === demanded;
}
