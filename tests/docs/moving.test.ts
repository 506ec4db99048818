import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

const page = readFileSync(new URL('../../docs/moving.md', import.meta.url), 'utf8');
const home: CliHome = makeHome();
afterAll(() => home.remove());

/** The commands of the page that need no server. */
const COMMANDS = [...page.matchAll(/^\$ kairos (.*)$/gm)]
  .map(([, command]) => command!)
  .filter((command) => !command.includes('qdrant://'));

describe('docs/moving.md', () => {
  it('shows commands that work', async () => {
    mkdirSync(join(home.work, 'runbooks'));
    writeFileSync(join(home.work, 'runbooks/one.md'), protocolOf(['comment'], 'Keep the books'));
    expect(COMMANDS).toHaveLength(3);
    const [exported, imported, folder] = COMMANDS as [string, string, string];
    for (const command of [folder, exported, imported]) {
      expect(await kairos(home, command.split(' '))).toMatchObject({ code: 0 });
    }
    expect(readFileSync(join(home.work, 'team.jsonl'), 'utf8').split('\n')[0]).toBe(
      /^\{"format".*$/m.exec(page)?.[0],
    );
  });
});
