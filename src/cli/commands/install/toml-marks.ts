import type { TomlComment, TomlDocument } from './toml-statements.ts';
import { unusableConfig } from './unusable.ts';

/** The comments around a table that kairos wrote. */
export interface TomlMarks {
  begin: TomlComment;
  end: TomlComment;
}

/** The two marks of a server, as they are written. */
export function markTexts(name: string): { begin: string; end: string } {
  return { begin: `# >>> kairos install: ${name}`, end: `# <<< kairos install: ${name}` };
}

/** The marks that stand in a document. Throws FILE_UNREADABLE for one without the other. */
export function tomlMarks({ comments }: TomlDocument, file: string, name: string): TomlMarks | null {
  const texts = markTexts(name);
  const [begin, ...begins] = comments.filter(({ text }) => text === texts.begin);
  const [end, ...ends] = comments.filter(({ text }) => text === texts.end);
  if (begin === undefined && end === undefined) return null;
  const paired = begin !== undefined && end !== undefined && begin.start < end.start;
  if (paired && begins.length + ends.length === 0) return { begin, end };
  throw unusableConfig(file, `"${texts.begin}" and "${texts.end}" do not belong together`);
}
