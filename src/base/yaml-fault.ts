/** The part of a YAML library's error that is used. */
interface YamlProblem {
  message: string;
  linePos?: readonly { line: number; col: number }[] | undefined;
}

/** What is wrong with a YAML text, and where, in one line: the library repeats the place and adds an excerpt. */
export function yamlFault({ message, linePos }: YamlProblem): string {
  const reason = message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
  const [start] = linePos ?? [];
  return start === undefined ? reason : `line ${start.line}, column ${start.col}: ${reason}`;
}
