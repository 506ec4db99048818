import { KairosError } from '../../../base/errors.ts';
import { importDocuments, type MarkdownSource } from '../../../operations/moving/import-documents.ts';
import { type MoveOptions, type MoveReport, moveInto } from '../../../operations/moving/move.ts';
import { readExport } from '../../../operations/moving/read-export.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { sourceName } from '../../read-source.ts';
import { isFolder, withRereadable } from '../../rereadable.ts';
import { moveCounter } from '../../terminal/progress.ts';
import { tellMove } from '../../views/move-report.ts';
import { visitProtocols } from '../authoring/visit-protocols.ts';
import type { StoreImportOptions } from './options.ts';

type ImportCall = Call<[string], StoreImportOptions>;

/** `kairos store import`. With `--json`: `{dry_run, chains, runs}`, each with its counts by outcome. */
export const storeImportCommand: Handler<[string], StoreImportOptions> = async (call) => {
  const { args, options, io, output } = call;
  const [source] = args;
  const counter = moveCounter(call);
  const settings: MoveOptions = {
    onConflict: options.onConflict,
    dryRun: options.dryRun === true,
    onProgress: (phase, count) => counter.tick(phase, count),
  };
  try {
    const report = (await isFolder(source, io.cwd))
      ? await importFolder(call, source, settings)
      : await importFile(call, source, settings);
    counter.stop();
    tellMove(report, settings.dryRun, output);
    return EXIT.ok;
  } finally {
    counter.stop();
  }
};

async function importFolder(call: ImportCall, folder: string, settings: MoveOptions): Promise<MoveReport> {
  const documents: MarkdownSource[] = [];
  const { failures } = await visitProtocols([folder], {}, call.io, async ({ name, read }) => {
    documents.push({ name: name ?? folder, read });
  });
  const [failure] = failures;
  if (failure !== undefined) {
    throw new KairosError('FILE_UNREADABLE', `${failure.path}: ${failure.reason}`, {
      hint: `Nothing was written: ${failures.length} of the files cannot be used. Run kairos lint to see all findings.`,
    });
  }
  if (documents.length === 0) {
    throw new KairosError('USAGE', `${folder} contains no protocol`, {
      hint: 'Markdown without a step block, triggers or a completion rule is prose.',
    });
  }
  return withContext(call, { dryRun: settings.dryRun }, (ctx) => importDocuments(ctx, documents, settings));
}

function importFile(call: ImportCall, file: string, settings: MoveOptions): Promise<MoveReport> {
  if (call.options.space !== undefined) {
    throw new KairosError('USAGE', 'an exported store already names the space of each protocol', {
      hint: 'Omit --space, or export with --space to move only one.',
    });
  }
  return withRereadable(file, call.io, (read) =>
    withContext(call, { dryRun: settings.dryRun }, ({ store }) =>
      moveInto(store, () => readExport(read(), sourceName(file)), settings),
    ),
  );
}
