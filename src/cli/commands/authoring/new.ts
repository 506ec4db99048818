import { resolve } from 'node:path';
import { shellQuote } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import {
  checkNewProtocol,
  composeProtocol,
  faultOfTitle,
  type NewProtocolOptions,
  type Wanted,
} from '../../../operations/new.ts';
import { TEMPLATES } from '../../../operations/templates/index.ts';
import { isSlug } from '../../../protocol/identity.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { RUN_EXIT } from '../run/session.ts';
import { askForNew } from './new-questions.ts';
import { checkNew, type NewOptions } from './options.ts';

type NewCall = Call<[string | undefined], NewOptions>;

/**
 * `kairos new`. Ends with 3 and the questions if input is needed and not available. With `--json`:
 * `{file, slug, title, kind, next, findings}`.
 */
export const newCommand: Handler<[string | undefined], NewOptions> = async (call) => {
  const { options, output } = call;
  checkNew(call.args[0], options);
  checkNewProtocol(settingsOf(call), options.kind, options.check);
  if (options.title !== undefined) {
    const { title, kind = TEMPLATES[0]!.kind, check = null } = options;
    return write(call, { title, kind, check });
  }
  const asked = await askForNew(call, {
    title: (title) => faultOfTitle(title) ?? true,
    protocol: (wanted) => faultOf(call, wanted),
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
  return write(call, asked.wanted);
};

async function write(call: NewCall, wanted: Wanted): Promise<number> {
  const { args, options, io, output } = call;
  const [name] = args;
  const { title, slug, kind, text, findings } = await composeProtocol(settingsOf(call), wanted);
  const file = name ?? `${slug}.md`;
  for (const finding of findings) output.note(output.noteColor.yellow(escapeForTerminal(finding)));
  if (file === '-') {
    output.document(text);
    return EXIT.ok;
  }
  await writeFileAtomically(resolve(io.cwd, file), text, options.force === true);
  const next = `kairos show ${shellQuote(isSlug(file) ? `./${file}` : file)}`;
  if (output.json) output.object({ file, slug, title, kind, next, findings });
  else {
    output.print(`${output.color.green('wrote')}  ${escapeForTerminal(file)}`);
    output.note(`Fill it in, then check how it looks in a run: ${escapeForTerminal(next)}`);
  }
  return EXIT.ok;
}

function settingsOf({ options: { slug, step = [] } }: NewCall): NewProtocolOptions {
  return { slug, steps: step };
}

async function faultOf(call: NewCall, wanted: Wanted): Promise<string | null> {
  try {
    await composeProtocol(settingsOf(call), wanted);
    return null;
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'USAGE') throw error;
    return `${error.message}\nPlease answer again; Enter keeps the last answer.`;
  }
}
