import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core';

/** One line of a form. All texts are shown unchanged, so they have to be escaped. */
export interface FormField {
  name: string;
  help: string;
  /** Shown as the value of an empty line. */
  fallback?: string;
  /** Show stars instead of the value. */
  hidden: boolean;
  /** Left and Right go through these. */
  choices: readonly string[];
  /** True, or what the value still lacks. */
  check: (value: string) => true | string;
}

interface FormOptions {
  message: string;
  fields: readonly FormField[];
}

/**
 * Several lines on one screen, each checked at every key. Up, Down and Tab move; Enter continues, and ends the form once every
 * line is valid.
 */
export const formInput = createPrompt<readonly string[], FormOptions>(({ message, fields }, done) => {
  const theme = makeTheme();
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [values, setValues] = useState<readonly string[]>(fields.map(() => ''));
  const [at, setAt] = useState(0);
  const [refused, setRefused] = useState(false);
  const prefix = usePrefix({ status, theme });
  const isInvalid = (index: number) => fields[index]!.check(values[index]!) !== true;

  useKeypress((key, readline) => {
    if (status === 'done') return;
    // Readline has put its history, a tab or nothing into the line: the line of the form is written again.
    const show = (index: number, all = values) => {
      readline.clearLine(0);
      readline.write(all[index]!);
      setValues(all);
      setAt(index);
      setRefused(false);
    };
    const { choices } = fields[at]!;
    const turn = { left: -1, right: 1 }[key.name];
    if (isUpKey(key) || (isTabKey(key) && key.shift)) show(Math.max(at - 1, 0));
    else if (isDownKey(key) || isTabKey(key)) show(Math.min(at + 1, fields.length - 1));
    else if (turn !== undefined && choices.length > 0) {
      const next = (choices.indexOf(values[at]!) + turn + choices.length) % choices.length;
      show(at, values.with(at, choices[next]!));
    } else if (!isEnterKey(key)) {
      setValues(values.with(at, readline.line));
      setRefused(false);
    } else if (isInvalid(at)) {
      show(at);
      setRefused(true);
    } else if (at < fields.length - 1) show(at + 1);
    else {
      const invalid = fields.findIndex((_, index) => isInvalid(index));
      if (invalid !== -1) {
        show(invalid);
        setRefused(true);
        return;
      }
      setStatus('done');
      done(values);
    }
  });

  const width = Math.max(...fields.map(({ name }) => name.length));
  const lineOf = ({ name, hidden, fallback }: FormField, index: number) => {
    const isActive = index === at && status === 'idle';
    const value = values[index]!;
    // The length of a secret is not shown once it is given.
    const text = hidden ? '*'.repeat(isActive ? value.length : Math.min(value.length, 1) * 8) : value;
    const empty = fallback !== undefined && value === '' ? `${theme.style.defaultAnswer(fallback)} ` : '';
    const mark = isActive ? theme.style.highlight('>') : value !== '' && isInvalid(index) ? '!' : ' ';
    return `${mark} ${name.padEnd(width)}  ${empty}${isActive ? text : theme.style.answer(text)}`;
  };
  const lines = fields.map(lineOf);
  const head = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') return [head, ...lines].join('\n');
  const verdict = fields[at]!.check(values[at]!);
  const isFaulty = verdict !== true && (refused || values[at] !== '');
  const note = isFaulty
    ? (refused ? theme.style.error : theme.style.help)(verdict)
    : theme.style.help(fields[at]!.help);
  return [
    [head, ...lines.slice(0, at + 1)].join('\n'),
    [`  ${' '.repeat(width)}  ${note}`, ...lines.slice(at + 1)].join('\n'),
  ];
});
