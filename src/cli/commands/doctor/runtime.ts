import { readFileSync } from 'node:fs';
import { packageFile } from '../../../base/package-root.ts';
import { VERSION } from '../../../base/version.ts';
import { chooseLibrary, loadDriver } from '../../../store/sqlite/driver.ts';
import { isWalSafe } from '../../../store/sqlite/version.ts';
import { broken, type Check, type Finding, ok, warning } from './check.ts';

/** kairos itself, Node.js, and the SQLite library under stores and search. */
export const checkRuntime: Check = async () => [
  ok('kairos', VERSION),
  nodeFinding(process.versions.node, neededNode()),
  await sqliteFinding(),
];

/** Exported for its test, which can't run under several versions of Node.js. */
export function nodeFinding(version: string, needed: string): Finding {
  const text = `${version} on ${process.platform} ${process.arch}`;
  if (compare(version, needed) >= 0) return ok('node', text);
  return { name: 'node', health: 'broken', detail: text, hint: `kairos needs Node.js ${needed} or later.` };
}

function neededNode(): string {
  const { engines } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    engines: { node: string };
  };
  return engines.node.replace(/[^\d.]/g, '');
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left![at] ?? 0) - (right![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

async function sqliteFinding(): Promise<Finding> {
  try {
    const { version } = await loadDriver();
    const library = chooseLibrary(process.versions) === 'builtin' ? 'node:sqlite' : '@photostructure/sqlite';
    const text = `${version} (${library})`;
    if (isWalSafe(version)) return ok('sqlite', text);
    return warning(
      'sqlite',
      `${text}, without a write-ahead log`,
      'A newer Node.js includes a faster SQLite.',
    );
  } catch (error) {
    return broken('sqlite', error);
  }
}
