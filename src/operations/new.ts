import { hereCommand, programName } from '../base/command-line.ts';
import { KairosError, meantOrAll } from '../base/errors.ts';
import { readSource, type SourceInput } from '../host/files/read-source.ts';
import { isProtocol } from '../lint/analyse.ts';
import { copySource, formatSource } from '../lint/rewrite/format-source.ts';
import { deriveSlug, isSlug, toContent } from '../protocol/identity.ts';
import { nameFault } from '../protocol/inputs.ts';
import type { ChainContent } from '../protocol/model.ts';
import { inlineSource } from '../protocol/outline.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { renderChain } from '../protocol/render.ts';
import { collapseSpace } from '../protocol/scan/blocks.ts';
import { parseScript } from '../shell/commands.ts';
import { outsideVariables } from '../shell/variables.ts';
import type { OperationContext } from './context.ts';
import { importText } from './import.ts';
import { runRecord } from './runs.ts';
import { readTarget, revisionOf } from './target.ts';
import { TEMPLATES } from './templates/index.ts';
import { checkSteps, refusal, renderTemplate, type Template, unseen } from './templates/template.ts';

/** What the user has given for a new protocol. */
export interface Wanted {
  title: string;
  kind: string;
  /** Null: the kind's own. */
  check: string | null;
  /** Inputs that the command reads, with their descriptions. */
  inputs: Readonly<Record<string, string>>;
  /** What the command prints, kept for later steps under this name; null for nothing. */
  capture: string | null;
}

export interface NewProtocolOptions {
  /** Derived from the title if absent. */
  slug?: string | undefined;
  /** Labels that replace the steps of the kind. */
  steps: readonly string[];
  /** The protocol to begin with instead of a kind. */
  from?: NewFrom | null;
}

/** A protocol to begin with, and its document if it comes from a file. */
export interface NewFrom {
  content: ChainContent;
  source?: string;
  /** Made of a document that isn't a protocol: its triggers are those of no other protocol. */
  isImported?: boolean;
}

/** The triggers that a copy does not get, in a sentence; null if it has them all. */
export function leftTriggers({ content: { triggers }, isImported }: NewFrom): string | null {
  if (triggers === null || isImported) return null;
  const phrases = triggers.split('\n').flatMap((row) => row.replace(/^[ \t]*[-*+][ \t]+/, '').trim() || []);
  return `Triggers that stay with the original, because a phrase of two protocols finds neither: ${phrases.join(', ')}`;
}

/** Checks what the options give before the first question. Throws USAGE. */
export function checkNewProtocol(
  { slug, steps }: NewProtocolOptions,
  kind: string | undefined,
  check: string | undefined,
): void {
  if (slug !== undefined && !isSlug(slug)) throw badSlug(slug);
  checkSteps(steps);
  if (kind !== undefined) checkCommand(check, findTemplate(kind), steps);
}

/** A protocol that could be written, with what lint advises on it. */
export interface ComposedProtocol {
  title: string;
  slug: string;
  kind: string;
  text: string;
  findings: string[];
}

/** Throws USAGE when the answers make no valid protocol. */
export async function composeProtocol(
  { slug: chosen, steps, from = null }: NewProtocolOptions,
  wanted: Wanted,
): Promise<ComposedProtocol> {
  const fault = faultOfTitle(wanted.title);
  if (fault !== null) throw new KairosError('USAGE', fault, { hint: 'Write what the protocol is about.' });
  const title = wanted.title.trim();
  const slug = chosen ?? deriveSlug(title);
  if (from !== null) {
    const { content, source } = from;
    const phrase = `- "${inlineSource(collapseSpace(title.toLowerCase()).replaceAll('"', ''))}"`;
    // A phrase of two protocols finds neither, and a run counts the revisions of the new one.
    const kept = from.isImported ? content.triggers : null;
    const triggers = kept === null || kept.toLowerCase() === phrase ? phrase : `${phrase}\n${kept.trim()}`;
    const own = { title, slug, version: '0.1.0', triggers };
    const text =
      (source === undefined ? null : await copySource(source, own)) ??
      (await canonicalText({ ...content, ...own }));
    return { title, slug, kind: 'copy', text, findings: await checkResult(text, []) };
  }
  const template = findTemplate(wanted.kind);
  checkCommand(wanted.check, template, steps);
  const check = wanted.check ?? template.check ?? '';
  const plain = await renderTemplate(template, { title, slug, steps, check });
  const text = await withValues(plain, wanted, check);
  const findings = await checkResult(text, steps);
  return { title, slug, kind: template.kind, text, findings };
}

async function canonicalText(content: ChainContent): Promise<string> {
  return formatSource(await parseProtocol(renderChain(content)));
}

/** Adds the inputs, and the capture to the first step with the command. */
async function withValues(text: string, { inputs, capture }: Wanted, check: string): Promise<string> {
  if (Object.keys(inputs).length === 0 && capture === null) return text;
  const content = toContent((await parseProtocol(text)).document.chains[0]!);
  const declared = Object.entries(inputs).map(([name, description]) => [name, { description }] as const);
  const at = content.steps.findIndex(({ block }) => {
    const proof = block?.proof_of_work;
    return proof?.type === 'shell' && proof.shell.cmd === check;
  });
  const steps = content.steps.map((step, index) =>
    index !== at || capture === null
      ? step
      : { ...step, block: { ...step.block, captures: [{ name: capture, from: 'stdout' as const }] } },
  );
  return canonicalText({ ...content, inputs: { ...content.inputs, ...Object.fromEntries(declared) }, steps });
}

/** The variables that a command reads and nothing sets: candidates for inputs. */
export function variablesOf(command: string): string[] {
  const read = outsideVariables(parseScript(command)) ?? [];
  return [...new Set(read.map(({ name }) => name))].filter((name) => nameFault(name) === null);
}

/** Why a name can't be one of an input or capture; null when it can. */
export function faultOfName(name: string): string | null {
  return nameFault(name) === null
    ? null
    : `${JSON.stringify(name)} can't name a value: use capital letters, digits and underscores, and no name that the system uses`;
}

/** What `--from` names: one of the kinds, or a protocol of a file, of the store or of a run. */
export type NewSource = { kind: string } | NewFrom;

/**
 * Reads what `--from` names: a file (a document that isn't a protocol is imported), a stored protocol, a kind (`--kind` names a kind
 * that is also stored), or a run. Throws USAGE, PROTOCOL_INVALID, FILE_UNREADABLE, NOT_FOUND.
 */
export async function readNewSource(
  name: string,
  input: SourceInput,
  withStore: <T>(work: (ctx: OperationContext) => Promise<T>) => Promise<T>,
): Promise<NewSource> {
  const target = readTarget(name);
  if (target.kind === 'file') return documentOfFile(target.path, input);
  return withStore(async (ctx) => {
    try {
      return { content: (await revisionOf(ctx, target)).content };
    } catch (error) {
      if (!(error instanceof KairosError) || target.kind !== 'slug') throw error;
      if (TEMPLATES.some(({ kind }) => kind === name)) return { kind: name };
      const run = await runRecord(ctx, name).catch(() => null);
      if (run?.content) return { content: run.content };
      const kinds = TEMPLATES.map(({ kind }) => kind).join(', ');
      throw new KairosError(
        'USAGE',
        `${JSON.stringify(name)} is neither a kind, a stored protocol nor a run`,
        { hint: `Kinds: ${kinds}. A file is written with its folder, such as ./${name}.` },
      );
    }
  });
}

async function documentOfFile(path: string, input: SourceInput): Promise<NewFrom> {
  const text = await readSource(path, input);
  const parsed = await parseProtocol(text);
  const isOwn = isProtocol(parsed);
  const { document, messages } = isOwn ? parsed : await parseProtocol(await importProse(text, path));
  const error = messages.find(({ severity }) => severity === 'error');
  const [chain, ...more] = document.chains;
  if (more.length > 0)
    throw new KairosError(
      'PROTOCOL_INVALID',
      `${path} makes ${more.length + 1} protocols, and a copy is of one: ${document.chains.map(({ title }) => JSON.stringify(title)).join(', ')}`,
      {
        hint: isOwn
          ? `Store them, then copy one: ${hereCommand(['mint', path])}, ${programName()} new --from ${chain!.slug}`
          : `Import them: ${hereCommand(['import', path])}`,
      },
    );
  if (error !== undefined || chain === undefined) {
    throw new KairosError('PROTOCOL_INVALID', `${path} has errors, so no protocol can begin with it`, {
      hint: `See them with: ${programName()} lint`,
    });
  }
  return { content: toContent(chain), source: document.source, isImported: !isOwn };
}

async function importProse(text: string, path: string): Promise<string> {
  try {
    return await importText(text, path);
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'PROTOCOL_INVALID') throw error;
    throw new KairosError(error.code, `${path}: ${error.message}`, {
      hint: `Run ${hereCommand(['import', path])} with --steps or --section, and begin with its result.`,
    });
  }
}

function findTemplate(kind: string): Template {
  const kinds = TEMPLATES.map((template) => template.kind);
  const found = TEMPLATES.find((template) => template.kind === kind);
  if (found !== undefined) return found;
  throw new KairosError('USAGE', `there is no kind ${JSON.stringify(kind)}`, {
    hint: meantOrAll(kind, 'Kinds', kinds),
  });
}

function badSlug(slug: string): KairosError {
  return new KairosError('USAGE', `${JSON.stringify(slug)} is not a slug`, {
    hint: 'Use lower-case words of a-z and 0-9 joined by single hyphens, at most 64 characters.',
  });
}

/** What is wrong with a title; null when nothing is. */
export function faultOfTitle(title: string): string | null {
  return title.trim() === '' ? 'the title is empty' : unseen('the title', title, 'prose');
}

/** Rejects a command that the protocol has no place for, or that can't be a command. Throws USAGE. */
function checkCommand(
  command: string | null | undefined,
  template: Template,
  steps: readonly string[],
): void {
  if (command === null || command === undefined) return;
  if (template.check === null) {
    const kinds = TEMPLATES.filter(({ check }) => check !== null).map(({ kind }) => kind);
    throw refusal(
      `a protocol of the kind ${template.kind} has no command, so --check has no place in it`,
      `Kinds with a command: ${kinds.join(', ')}.`,
    );
  }
  if (steps.length > 0) {
    throw refusal(
      'steps that you name (--step) have no command, so --check has no place in them',
      'Leave one of them out, and write the command into its step afterwards.',
    );
  }
  if (command.trim() === '') throw refusal('--check is empty', 'Write the command.');
  const fault = unseen('--check', command, 'exact');
  if (fault !== null) throw refusal(fault, 'Remove it.');
}

/**
 * Lints a new protocol. Returns warnings and advice, one line each. Throws USAGE for errors, because a protocol with an error
 * can't be stored or run.
 */
async function checkResult(text: string, steps: readonly string[]): Promise<string[]> {
  const { document } = await parseProtocol(text);
  const labels = document.chains[0]?.steps.map(({ label }) => label) ?? [];
  const lost = steps.map(collapseSpace).find((label) => !labels.includes(label));
  if (lost !== undefined) {
    throw refusal(`a section called ${JSON.stringify(lost)} isn't a step`, 'Choose another label.');
  }
  const { lintSource } = await import('../lint/lint-source.ts');
  const { messages } = await lintSource(text);
  const lines = (those: typeof messages) => [
    ...new Set(those.map(({ severity, reason, ruleId }) => `${severity}: ${reason} (${ruleId})`)),
  ];
  const errors = lines(messages.filter(({ severity }) => severity === 'error'));
  if (errors.length === 0) return lines(messages);
  throw refusal(
    `the new protocol would have errors:\n${errors.map((line) => `  ${line}`).join('\n')}`,
    'Nothing was written. Change the title, the steps or the command.',
  );
}
