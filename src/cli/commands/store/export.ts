import { resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { exportLines, storedRecords } from '../../../operations/moving/export.ts';
import type { Trailer } from '../../../operations/moving/record.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT, type OutputStream } from '../../io.ts';
import { chosenSpace, withStoreToRead } from '../../store-to-read.ts';
import { moveCounter } from '../../terminal/progress.ts';
import type { StoreExportOptions } from './options.ts';

type ExportCall = Call<[string | undefined], StoreExportOptions>;

/** `kairos store export`. With a file and `--json`: `{file, chains, runs, sha256}`. */
export const storeExportCommand: Handler<[string | undefined], StoreExportOptions> = (call) =>
  withStoreToRead(call, call.options.store, async (store) => {
    const [file] = call.args;
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
  output.note(`${trailer.chains} protocols and ${trailer.runs} runs written${where}`);
}
