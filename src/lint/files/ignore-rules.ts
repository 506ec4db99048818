import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';

/** The rules of `.gitignore` and `.kairosignore`, at every level from the root of the repository down. */
export interface IgnoreRules {
  /** Whether a file or folder, by its absolute path, is left out, itself or by a folder above it. */
  isIgnored(path: string, isFolder: boolean): Promise<boolean>;
  /** The same for the direct contents of a folder, whose rules are read once. */
  within(folder: string): Promise<(path: string, isFolder: boolean) => boolean>;
}

/** In one folder the later file is the stronger one. */
const NAMES = ['.gitignore', '.kairosignore'];

interface Level {
  folder: string;
  matcher: Matcher | null;
  above: Level | null;
  /**
   * The folder itself is ignored with all its content: nothing inside can be included again (gitignore(5)).
   */
  isIgnored: boolean;
}

interface Matcher {
  test(path: string): { ignored: boolean; unignored: boolean };
}

/**
 * Reads ignore files as needed. Levels end at the root of a repository; outside of any they end at the
 * outermost folder of `roots`, which the caller named or works in.
 */
export function ignoreRules(roots: readonly string[]): IgnoreRules {
  const levels = new Map<string, Promise<Level>>();
  const repositories = new Map<string, string | null>();

  const repositoryOf = (folder: string): string | null => {
    const known = repositories.get(folder);
    if (known !== undefined) return known;
    const above = dirname(folder);
    const found = existsSync(join(folder, '.git')) ? folder : above === folder ? null : repositoryOf(above);
    repositories.set(folder, found);
    return found;
  };

  const isTop = (folder: string): boolean => {
    const repository = repositoryOf(folder);
    return repository === null ? !roots.some((root) => isBelow(folder, root)) : repository === folder;
  };

  const levelOf = (folder: string): Promise<Level> => {
    let level = levels.get(folder);
    if (level === undefined) {
      level = makeLevel(folder);
      levels.set(folder, level);
    }
    return level;
  };

  const makeLevel = async (folder: string): Promise<Level> => {
    const above = isTop(folder) ? null : await levelOf(dirname(folder));
    return {
      folder,
      matcher: await matcherOf(folder),
      above,
      isIgnored: above !== null && (above.isIgnored || decide(above, folder, true)),
    };
  };

  const within: IgnoreRules['within'] = async (folder) => {
    const level = await levelOf(folder);
    return (path, isFolder) => level.isIgnored || decide(level, path, isFolder);
  };

  return { within, isIgnored: async (path, isFolder) => (await within(dirname(path)))(path, isFolder) };
}

function isBelow(folder: string, root: string): boolean {
  return folder.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) && folder !== root;
}

/** The nearest level that has a word on the path decides. */
function decide(level: Level, path: string, isFolder: boolean): boolean {
  for (let at: Level | null = level; at !== null; at = at.above) {
    if (at.matcher === null) continue;
    const inside = relative(at.folder, path).split(sep).join('/');
    const { ignored, unignored } = at.matcher.test(isFolder ? `${inside}/` : inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function matcherOf(folder: string): Promise<Matcher | null> {
  const texts = NAMES.map((name) => join(folder, name)).flatMap(readIfThere);
  if (texts.length === 0) return null;
  const { createIgnore } = await import('./pattern.ts');
  return createIgnore(texts.join('\n'));
}

function readIfThere(file: string): string[] {
  if (!existsSync(file)) return [];
  try {
    // A folder or pipe with that name has no rules; an unreadable file might.
    return statSync(file).isFile() ? [readFileSync(file, 'utf8')] : [];
  } catch (cause) {
    throw new KairosError('FILE_UNREADABLE', `${file} cannot be read: ${(cause as Error).message}`, {
      hint: 'Check its permissions: it lists the documents to ignore.',
      cause,
    });
  }
}

/** Nothing was checked where something was asked for: that must not look like success. */
export function allIgnored(what: string, count: number): KairosError {
  return new KairosError('USAGE', `${what} (${count}) is ignored`, {
    hint: 'See .gitignore, .kairosignore and lint.ignore of the configuration, or name other files.',
  });
}
