import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { userFolders } from '../../../host/files/paths.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { loadUserSettings } from '../../../host/settings/user-settings.ts';
import { openUserStore } from '../../../host/store.ts';
import { exportLines, storedRecords } from '../../../operations/moving/export.ts';
import { moveInto } from '../../../operations/moving/move.ts';
import type { Trailer } from '../../../operations/moving/record.ts';
import { checkSpace } from '../../../protocol/identity.ts';
import type { Store } from '../../../store/port.ts';
import { type Call, fileOf, type Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT, type OutputStream } from '../../io.ts';
import { moveCounter } from '../../terminal/progress.ts';
import { printMoveReport, type StoreImportOptions } from './import.ts';

type ExportCall = Call<[string | undefined], StoreExportOptions>;

/** `kairos store export`. With a file and `--json`: `{file, chains, runs, sha256}`. */
export const storeExportCommand: Handler<[string | undefined], StoreExportOptions> = (call) =>
  withStoreToRead(call, call.options.store, async (store) => {
    const file = fileOf(call.args[0]);
    const counter = moveCounter(call);
    let trailer: Trailer | null = null;
    const records = counter.over('exported', storedRecords(store, { space: chosenSpace(call) }));
    const lines = exportLines(records, (found) => {
      trailer = found;
    });
    try {
      await (file === undefined ? print(call, lines) : write(call, file, lines));
    } finally {
      counter.stop();
    }
    tell(call, file, trailer);
    return EXIT.ok;
  });

function write({ io, options }: ExportCall, file: string, lines: AsyncIterable<string>): Promise<void> {
  // Records contain command output, so only the owner may read the file.
  return writeFileAtomically(resolve(io.cwd, file), lines, options.force === true, 0o600);
}

/** Waits for the reader; a closed reader ends the export. */
async function print({ io, output }: ExportCall, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    output.document(line, { json: true });
    if (io.stdout.writableNeedDrain) await drained(io.stdout);
    if (io.stdout.errored !== null || io.stdout.destroyed) return;
  }
}

function drained(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.once(event, done);
  });
}

function tell({ output }: ExportCall, file: string | undefined, trailer: Trailer | null): void {
  if (trailer === null) return;
  if (output.json && file !== undefined) output.object({ file, ...trailer });
  if (output.json) return;
  const where = file === undefined ? '' : ` to ${escapeForTerminal(file)}`;
  const [protocols, runs] = [
    trailer.chains === 1 ? 'protocol' : 'protocols',
    trailer.runs === 1 ? 'run' : 'runs',
  ];
  output.note(`${trailer.chains} ${protocols} and ${trailer.runs} ${runs} written${where}`);
}

export interface StoreExportOptions {
  force?: boolean;
}

/** `kairos store copy`. With `--json` the object of `kairos store import`. */
export const storeCopyCommand: Handler<[string, string], StoreImportOptions> = async (call) => {
  const { args, options, output } = call;
  const [from, to] = args;
  if (from === to)
    throw new KairosError('USAGE', 'a store cannot be copied into itself', {
      hint: 'Name two different stores.',
    });
  const dryRun = options.dryRun === true;
  const counter = moveCounter(call);
  try {
    const report = await withStoreToRead(call, from, async (source) => {
      // Opened before the target is created: a source that is down leaves nothing behind.
      await source.lastRun();
      return withContext({ ...call, options: { ...options, store: to } }, { dryRun }, ({ store }) =>
        moveInto(store, () => storedRecords(source, { space: chosenSpace(call) }), {
          onConflict: options.onConflict,
          dryRun,
          onProgress: (phase, count) => counter.tick(phase, count),
        }),
      );
    });
    counter.stop();
    printMoveReport(report, dryRun, output);
    return EXIT.ok;
  } finally {
    counter.stop();
  }
};

/** Opens an existing store read-only, runs `work` and always closes it. `location`: the value of `--store`. */
async function withStoreToRead<T>(
  { options, io, output }: Pick<Call<unknown[]>, 'options' | 'io' | 'output'>,
  location: string | undefined,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const folders = userFolders(io.env);
  const settings = await loadUserSettings(folders);
  const choice = { option: location, env: io.env, cwd: io.cwd, folders, settings };
  const store = await openUserStore(choice, {
    readOnly: true,
    warn: (message) => {
      if (options.json !== true) output.note(`note: ${message}`);
    },
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The space that `--space` restricts a move to; the user's usual one does not. */
function chosenSpace({ options }: Pick<Call<unknown[]>, 'options'>): string | undefined {
  return options.space === undefined ? undefined : checkSpace(options.space);
}
