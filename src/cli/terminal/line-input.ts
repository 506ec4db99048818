import { createPrompt, isEnterKey, makeTheme, useKeypress, usePrefix, useState } from '@inquirer/core';

export interface LineInputOptions {
  message: string;
  /** True, or what the line still lacks. Shown while typing; Enter is ignored until it is true. */
  check: (line: string) => true | string;
  /** Shown under an empty line. */
  note?: string;
  /** Shown as the value of an empty line. */
  fallback?: string;
}

/** An input line that shows at every key what is still missing. Inquirer only checks on Enter. */
export const lineInput = createPrompt<string, LineInputOptions>((options, done) => {
  const theme = makeTheme();
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [line, setLine] = useState('');
  const [refused, setRefused] = useState(false);
  const prefix = usePrefix({ status, theme });
  const verdict = options.check(line);

  useKeypress((key, readline) => {
    if (status === 'done') return;
    if (!isEnterKey(key)) {
      setLine(readline.line);
      setRefused(false);
    } else if (options.check(line) === true) {
      setStatus('done');
      done(line);
    } else {
      // Enter has emptied the line: restore the text so that you can fix it.
      readline.write(line);
      setRefused(true);
    }
  });

  const answer = status === 'done' ? theme.style.answer(line) : line;
  const fallback =
    options.fallback !== undefined && line === '' && status === 'idle'
      ? ` ${theme.style.defaultAnswer(options.fallback)}`
      : '';
  const question = `${prefix} ${theme.style.message(options.message, status)}${fallback} ${answer}`;
  if (status === 'done') return question;
  if (verdict !== true && refused) return [question, theme.style.error(verdict)];
  if (verdict !== true && line !== '') return [question, theme.style.help(verdict)];
  return [question, options.note === undefined || line !== '' ? '' : theme.style.help(options.note)];
});
