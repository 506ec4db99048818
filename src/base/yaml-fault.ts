/** The part of a YAML library's error that is used. */
interface YamlProblem {
  message: string;
  linePos?: readonly { line: number; col: number }[] | undefined;
}

/** The reason and place of a YAML error in one line, without the library's repeated place and excerpt. */
export function yamlFault({ message, linePos }: YamlProblem): string {
  const reason = message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
  const [start] = linePos ?? [];
  return start === undefined ? reason : `line ${start.line}, column ${start.col}: ${reason}`;
}
