import type { Readable } from 'node:stream';
import type { Redactor } from '../secrets/redact.ts';
import { type Captured, startCapture } from './capture.ts';

/** A stream of a command as text, redacted on its way. */
export interface OutputReader {
  /** What was read by now; nothing is added after it. */
  result(): Captured;
}

/**
 * Reads a stream to its end. Bytes that are not UTF-8, and DEL, which a ledger can't contain, become U+FFFD.
 * `onText` gets the redacted pieces as they arrive and must not throw.
 */
export function readOutput(
  stream: Readable,
  redactor: Pick<Redactor, 'stream'>,
  onText: (text: string) => void,
): OutputReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const redaction = redactor.stream();
  const capture = startCapture();
  let captured: Captured | undefined;

  const take = (text: string) => {
    if (text === '') return;
    capture.add(text);
    onText(text);
  };
  const clean = (text: string) => text.replaceAll('\u007f', '\ufffd');
  stream.on('data', (chunk: Buffer) => {
    if (captured === undefined) take(redaction.push(clean(decoder.decode(chunk, { stream: true }))));
  });
  stream.on('error', () => {}); // what was read counts; that the stream broke shows in the command's end

  return {
    result() {
      if (captured === undefined) {
        take(redaction.push(clean(decoder.decode())));
        take(redaction.end());
        captured = capture.result();
      }
      return captured;
    },
  };
}
