import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hereCommand } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import {
  checkNewProtocol,
  composeProtocol,
  faultOfName,
  faultOfTitle,
  leftTriggers,
  type NewProtocolOptions,
  type NewSource,
  readNewSource,
  type Wanted,
} from '../../../operations/new.ts';
import { TEMPLATES } from '../../../operations/templates/index.ts';
import { refusal } from '../../../operations/templates/template.ts';
import type { Call, CommonOptions, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { RUN_EXIT } from '../run/session.ts';
import { askForNew, type NewAttempt, type NewOptions } from './new-questions.ts';

type NewCall = Call<[string | undefined], NewOptions>;

/**
 * `kairos new`. Ends with 3 and the questions if input is needed and not available. With `--json`:
 * `{file, slug, title, kind, next, findings}`.
 */
export const newCommand: Handler<[string | undefined], NewOptions> = async (call) => {
  const { options, output } = call;
  checkNew(call.args[0], options);
  const source = options.from === undefined ? null : await sourceOf(call, options.from);
  const from = source !== null && 'content' in source ? source : null;
  if (from !== null && TEMPLATES.some(({ kind }) => kind === options.from))
    output.note(
      `${options.from} is stored here, so this is a copy of it. --kind ${options.from} begins with the kind.`,
    );
  const kind = source !== null && 'kind' in source ? source.kind : options.kind;
  const settings = { slug: options.slug, steps: options.step ?? [], from };
  checkNewProtocol(settings, kind, options.check);
  if (from !== null && (options.check !== undefined || options.step !== undefined)) {
    throw new KairosError('USAGE', '--check and --step have no place in a copy', {
      hint: 'Leave them out, and change the file afterwards.',
    });
  }
  const values = valuesOf(options);
  if (options.title !== undefined) {
    const { title, check = null } = options;
    return write(call, settings, { title, kind: kind ?? TEMPLATES[0]!.kind, check, ...values });
  }
  const asked = await askForNew(call, {
    kind,
    from: from?.content ?? null,
    values,
    title: (title) => faultOfTitle(title) ?? true,
    compose: (wanted) => attempt(settings, wanted),
  });
  if (asked.kind === 'interrupt') return asked.exitCode;
  if (asked.kind === 'unanswered') {
    output.object({ questions: asked.questions });
    if (!output.json)
      output.note(
        'Input is required, but no terminal, pipe or answers file is available. With --title kairos asks nothing.',
      );
    return RUN_EXIT.inputNeeded;
  }
  return write(call, settings, asked.wanted);
};

/** What `--input` and `--capture` declare. Throws USAGE. */
function valuesOf({ inputNames = [], capture }: NewOptions): Pick<Wanted, 'inputs' | 'capture'> {
  const inputs = inputNames.map((text): [string, string] => {
    const [, name = text, description = ''] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
    return [name, description.trim() || name.toLowerCase().replaceAll('_', ' ')];
  });
  for (const name of [...inputs.map(([each]) => each), ...(capture === undefined ? [] : [capture])]) {
    const fault = faultOfName(name);
    if (fault !== null) throw new KairosError('USAGE', fault, { hint: 'For example TARGET_HOST.' });
  }
  return { inputs: Object.fromEntries(inputs), capture: capture ?? null };
}

function sourceOf(call: NewCall, name: string): Promise<NewSource> {
  return readNewSource(name, call.io, (work) => withContext(call, { dryRun: true }, work));
}

async function write(call: NewCall, settings: NewProtocolOptions, wanted: Wanted): Promise<number> {
  const { args, options, io, output } = call;
  const [name] = args;
  const { title, slug, kind, text, findings } = await composeProtocol(settings, wanted);
  const file = name ?? `${slug}.md`;
  const left = settings.from == null ? null : leftTriggers(settings.from);
  if (left !== null) output.note(escapeForTerminal(left));
  for (const finding of findings) output.note(output.noteColor.yellow(escapeForTerminal(finding)));
  if (file === '-') {
    output.document(text);
    return EXIT.ok;
  }
  try {
    await writeFileAtomically(resolve(io.cwd, file), text, options.force === true);
  } catch (error) {
    // With --title nothing was typed that the command line doesn't have.
    throw options.title === undefined ? await withKept(error, text, slug) : error;
  }
  await openHost(call);
  const next = hereCommand(['show', resolve(io.cwd, file)]);
  if (output.json) output.object({ file, slug, title, kind, next, findings });
  else {
    output.print(`${output.color.green('wrote')}  ${escapeForTerminal(file)}`);
    output.note(`Fill it in, then check how it looks in a run: ${escapeForTerminal(next)}`);
  }
  return EXIT.ok;
}

/** An error that names where a protocol of typed answers is kept. */
async function withKept(error: unknown, text: string, slug: string): Promise<unknown> {
  if (!(error instanceof KairosError)) return error;
  const kept = join(await mkdtemp(join(tmpdir(), 'kairos-new-')), `${slug}.md`);
  await writeFileAtomically(kept, text, false, 0o600);
  const hint = `${error.hint ?? ''} Your answers are kept as a protocol in ${kept}.`.trim();
  return new KairosError(error.code, error.message, { hint, cause: error });
}

/** The protocol that the answers make, with its findings, or why they make none. */
async function attempt(settings: NewProtocolOptions, wanted: Wanted): Promise<NewAttempt> {
  try {
    return { fault: null, findings: (await composeProtocol(settings, wanted)).findings };
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'USAGE') throw error;
    return { fault: `${error.message}\nPlease answer again; Enter keeps the last answer.`, findings: [] };
  }
}

/** Rejects options that exclude each other. Throws USAGE. */
function checkNew(
  file: string | undefined,
  { force, json, from, kind, step, inputNames, capture }: NewOptions & CommonOptions,
): void {
  if (from !== undefined && kind !== undefined)
    throw refusal('--from and --kind exclude each other', 'Keep one of them.');
  if (step !== undefined && (inputNames !== undefined || capture !== undefined))
    throw refusal(
      '--step has no command for --input and --capture',
      'Leave --step out, or declare them in the file.',
    );
  if (file !== '-') return;
  if (force) throw refusal('--force has no file to replace where - is standard output', 'Name a file.');
  if (json) throw refusal('--json has no place where - prints the protocol', 'Leave it out, or name a file.');
}
