import { escapeForTerminal } from '../../base/escape.ts';
import { EXIT } from '../io.ts';
import type { Output } from '../output.ts';

interface Results {
  results: readonly { uri: string; status: string; message: string }[];
  total_failed: number;
}

/** Prints the results of an operation on several items. Any failure ends with 1. */
export function tellResults(answer: Results, output: Output): number {
  if (output.json) output.object(answer);
  else {
    const { color } = output;
    for (const { uri, status, message } of answer.results) {
      const mark = status === 'error' ? color.red(status) : color.green(status);
      output.print(
        `${mark}  ${escapeForTerminal(uri)}\n  ${escapeForTerminal(message, { keepNewlines: true })}`,
      );
    }
  }
  return answer.total_failed === 0 ? EXIT.ok : EXIT.failed;
}
