import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a command printed, standard error after standard output. */
export interface SessionResult {
  code: number | null;
  output: string;
}

/** Runs a line of a shell in the folder of the session. */
export type RunLine = (line: string) => Promise<SessionResult>;

/** What to do with a block of a page. Lines of `sh` are commands; in `console` they begin with `$ ` and their output follows. */
const BLOCK =
  /(?:^Save this as `(?<file>[^`]+)`:\n\n)?^(?<fence>`{3,})(?<language>\w*)\n(?<text>[\s\S]*?)^\k<fence>$/gm;

/**
 * Does what a reader of the page does, in order: saves its files, runs its commands. Returns the page with the output that came.
 */
export async function replayPage(page: string, folder: string, run: RunLine): Promise<string> {
  let replayed = '';
  let from = 0;
  for (const block of page.matchAll(BLOCK)) {
    const { file, language, text = '', fence } = block.groups!;
    replayed += page.slice(from, block.index);
    from = block.index + block[0].length;
    if (file !== undefined) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    if (file === undefined && language === 'sh') await runAll(text.trim().split('\n'), run);
    const output = language === 'console' ? await runAll(commandsOf(text), run) : null;
    replayed += output === null ? block[0] : `${fence}console\n${output}${fence}`;
  }
  return replayed + page.slice(from);
}

function commandsOf(text: string): string[] {
  return [...text.matchAll(/^\$ (.+)$/gm)].map(([, line]) => line!);
}

async function runAll(lines: readonly string[], run: RunLine): Promise<string> {
  let shown = '';
  for (const line of lines) {
    const { output } = await run(line);
    const text = output.replace(/[ \t]+$/gm, '').replace(/\n*$/, '\n');
    shown += `$ ${line}\n${text === '\n' ? '' : text}`;
  }
  return shown;
}

/** The text without what differs from run to run: ids, hashes, times, machine and user, and the spaces between columns. */
export function withoutChance(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'RUN')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\b[0-9a-f]{8}\b/g, 'RUN')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z)?(?:, [^\n]*? ago|, just now)?/g, 'TIME')
    .replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'DURATION')
    .replace(/(success|failure|open) +\S+ +\S+ +TIME/g, '$1 WHO HOST TIME')
    .replace(/(in +)\/\S+/g, '$1FOLDER')
    .replace(/ +/g, ' ');
}
