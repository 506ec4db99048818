import type { OutputReader, OutputReading } from '../../proof/output-reader.ts';
import type { OutputCheck } from '../../protocol/schema.ts';
import { isSamePlace, type Place } from '../../run/place.ts';
import type { OperationContext } from '../context.ts';

/** Reads what outputs name, inside of what this face may read; names of files are redacted, since they are written down. */
export async function readOutputs(
  ctx: Pick<OperationContext, 'outputs' | 'outputsAt' | 'place' | 'roots' | 'redact'>,
  outputs: readonly OutputCheck[],
  place: Place | null,
): Promise<OutputReading[]> {
  const { roots, redact } = ctx;
  const reader = readerAt(ctx, place);
  if (reader === undefined) return outputs.map(() => ({ files: [], others: false, fault: 'no-folder' }));
  const readings = await reader.read(outputs, (await roots?.()) ?? null);
  return readings.map(({ files, ...reading }) => ({
    ...reading,
    files: files.map((file) => ({ ...file, path: redact(file.path) })),
  }));
}

/** What stands elsewhere proves nothing of a run: its outputs are read where it works. */
function readerAt(
  { outputs, outputsAt, place: here }: Pick<OperationContext, 'outputs' | 'outputsAt' | 'place'>,
  place: Place | null,
): OutputReader | undefined {
  if (place === null || here === undefined || isSamePlace(place, here)) return outputs;
  return place.host === here.host ? outputsAt?.(place) : undefined;
}
