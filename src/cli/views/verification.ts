import { escapeForTerminal } from '../../base/escape.ts';
import type { RecordCheck } from '../../operations/verify.ts';
import type { Output } from '../output.ts';

/** One line on the state of a record, and one for each finding, by entry number. */
export function verificationView(check: RecordCheck, { color }: Output): string {
  const { record, status, entries, sealed_by, own_key, findings } = check;
  const paint = status === 'whole' ? color.green : color.red;
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  const key = sealed_by === null ? '' : `, sealed by ${own_key ? 'your key' : 'the key'} ${sealed_by}`;
  const lines = findings.map(({ code, severity, entry, last, line, message }) => {
    const place = [
      entry === null ? null : `entry ${entry}${last === undefined ? '' : ` to ${last}`}`,
      line === null ? null : `line ${line}`,
    ]
      .filter((part) => part !== null)
      .join(', ');
    const mark = severity === 'error' ? color.red('error') : color.dim('note');
    return `  ${mark}  ${place === '' ? '' : `${place}: `}${escapeForTerminal(message)} (${code})`;
  });
  return [`${paint.bold(status)}  ${escapeForTerminal(record)}  ${count}${key}`, ...lines].join('\n');
}
