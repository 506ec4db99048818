import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';

/** A header, or a key with its value, in a TOML document. */
export interface TomlStatement {
  header: boolean;
  /** From the root of the document. */
  path: string[];
  /** The path of the header above it. */
  table: string[];
  start: number;
  /** The beginning of the value; for a header, its end. */
  value: number;
  /** Behind the last character: spaces, a comment and the line's end come after it. */
  end: number;
}

/** A comment from its `#` to the end of its line. */
export interface TomlComment {
  text: string;
  start: number;
  end: number;
}

/** A TOML document: its content, and the places of its statements and comments in their order. */
export interface TomlDocument {
  content: Record<string, unknown>;
  statements: TomlStatement[];
  comments: TomlComment[];
}

/** The first fault of a text that is not TOML. */
export interface TomlFault {
  message: string;
  line: number;
}

/** Reads a TOML 1.0 document. Returns the fault for an invalid one. */
export function readToml(text: string): TomlDocument | TomlFault {
  let program: AST.TOMLProgram;
  let content: Record<string, unknown>;
  try {
    program = parseTOML(text, { tomlVersion: '1.0' });
    content = getStaticTOMLValue(program);
  } catch (cause) {
    // The reader is recursive.
    if (cause instanceof RangeError) return { message: 'Arrays or tables are nested too deeply', line: 1 };
    if (!(cause instanceof ParseError)) throw cause;
    return { message: cause.message, line: cause.lineNumber };
  }
  const comments = program.comments.map(({ range: [start, end] }) => ({
    text: text.slice(start, end),
    start,
    end,
  }));
  return { content, statements: program.body[0].body.flatMap((node) => statementsOf(text, node)), comments };
}

function statementsOf(text: string, node: AST.TOMLKeyValue | AST.TOMLTable): TomlStatement[] {
  if (node.type === 'TOMLKeyValue') return [assignmentOf(node, [])];
  const table = keyPath(node.key);
  const end = text.indexOf(']', node.key.range[1]) + (node.kind === 'array' ? 2 : 1);
  const header = { header: true, path: table, table, start: node.range[0], value: end, end };
  return [header, ...node.body.map((inner) => assignmentOf(inner, table))];
}

function assignmentOf({ key, value, range }: AST.TOMLKeyValue, table: string[]): TomlStatement {
  const path = [...table, ...keyPath(key)];
  return { header: false, path, table, start: range[0], value: value.range[0], end: value.range[1] };
}

function keyPath({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
}
