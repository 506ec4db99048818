import type { Json } from '../ledger/entry.ts';
import { ofObject, text } from './timeline-text.ts';

/** What kairos itself read, or found missing, when it accepted a proof. */
export function outputLines(outputs: Json | undefined): string[] {
  return each(outputs).flatMap((output) =>
    ofObject(output, ({ path, exists, checks, files }) => {
      if (exists === false) return [`kairos found nothing at ${text(path)}`];
      const names = each(checks).map(text).join(', ');
      return each(files).flatMap((file) =>
        ofObject(file, ({ path: name, size, sha256 }) => [
          `kairos read ${text(name)}, ${text(size)} bytes, sha256 ${text(sha256)}${names === '' ? '' : `; it contains: ${names}`}`,
        ]),
      );
    }),
  );
}

function each(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
