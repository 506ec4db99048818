import type { OutputReading } from '../../proof/output-reader.ts';
import type { OutputCheck } from '../../protocol/schema.ts';
import type { OperationContext } from '../context.ts';

/** Reads what outputs name, inside of what this face may read; names of files are redacted, since they are written down. */
export async function readOutputs(
  { outputs: reader, roots, redact }: Pick<OperationContext, 'outputs' | 'roots' | 'redact'>,
  outputs: readonly OutputCheck[],
): Promise<OutputReading[]> {
  if (reader === undefined) return outputs.map(() => ({ files: [], others: false, fault: 'no-folder' }));
  const readings = await reader.read(outputs, (await roots?.()) ?? null);
  return readings.map(({ files, ...reading }) => ({
    ...reading,
    files: files.map((file) => ({ ...file, path: redact(file.path) })),
  }));
}
