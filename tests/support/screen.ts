/** Enough of a terminal to show what line-oriented programs draw: text, cursor moves, erasing. Colours are dropped. */
export interface Screen {
  write(data: string): void;
  resize(columns: number): void;
  text(): string;
}

/** A screen that is endlessly high: nothing scrolls away. */
export function createScreen(columns: number): Screen {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  let width = columns;
  let pending = '';

  const lineAt = (index: number): string[] => {
    while (lines.length <= index) lines.push([]);
    return lines[index] as string[];
  };

  function put(character: string): void {
    if (column >= width) {
      row += 1;
      column = 0;
    }
    const line = lineAt(row);
    while (line.length < column) line.push(' ');
    line[column] = character;
    column += 1;
  }

  function control(parameters: string, command: string): void {
    const first = Number.parseInt(parameters, 10);
    const count = Number.isNaN(first) ? 1 : Math.max(1, first);
    if (command === 'A') row = Math.max(0, row - count);
    else if (command === 'B') row += count;
    else if (command === 'C') column = Math.min(width - 1, column + count);
    else if (command === 'D') column = Math.max(0, column - count);
    else if (command === 'G') column = count - 1;
    else if (command === 'K') eraseLine(Number.isNaN(first) ? 0 : first);
    else if (command === 'J') {
      eraseLine(0);
      lines.length = row + 1;
    }
  }

  function eraseLine(mode: number): void {
    const line = lineAt(row);
    if (mode === 2) line.length = 0;
    else if (mode === 1) line.fill(' ', 0, column + 1);
    else line.length = Math.min(line.length, column);
  }

  return {
    write(data) {
      const input = pending + data;
      pending = '';
      for (let at = 0; at < input.length; ) {
        const rest = input.slice(at);
        const sequence = /^\x1b\[([0-?]*)[ -/]*([@-~])/.exec(rest);
        if (sequence !== null) {
          control(sequence[1] ?? '', sequence[2] ?? '');
          at += sequence[0].length;
        } else if (/^\x1b(?:\[[0-?]*[ -/]*)?$/.test(rest)) {
          pending = rest;
          return;
        } else {
          const character = String.fromCodePoint(rest.codePointAt(0) as number);
          if (character === '\n') row += 1;
          else if (character === '\r') column = 0;
          else if (character === '\b') column = Math.max(0, column - 1);
          else if (character >= ' ') put(character);
          at += character.length;
        }
      }
    },
    resize(newColumns) {
      width = newColumns;
    },
    text: () =>
      lines
        .map((line) => line.join('').trimEnd())
        .join('\n')
        .trimEnd(),
  };
}
