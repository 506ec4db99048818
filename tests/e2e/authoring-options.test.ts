import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';

const OLD = '# Ship\n\n## Test\n\nRun them.\n\nPROOF OF WORK: timeout 5 true\n';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
  writeFileSync(join(home.work, 'a.md'), OLD);
});
afterEach(() => home.remove());

describe('an option that would do nothing is refused, and nothing is done', () => {
  it.each([
    ['migrate --allow-weaken --write', '--allow-weaken needs --stored'],
    ['migrate --space other --write', '--space needs --stored'],
    ['migrate --store other.db --write', '--store needs --stored'],
    ['migrate --stored a.md', '--stored does not accept paths'],
    ['migrate --stored --stdin-filename a.md', '--stored and --stdin-filename exclude each other'],
    ['migrate --stdin-filename a.md', '--stdin-filename needs - as the path'],
    ['migrate --write --diff --json', '--diff and --json exclude each other'],
    ['migrate - --write --diff', '--diff has no place where --write prints the text of -'],
    ['migrate - --write --json', 'with --json the text of - would be printed nowhere'],
    ['fmt --diff --json', '--diff and --json exclude each other'],
    ['fmt - --json', 'with --json the text of - would be printed nowhere'],
    ['new - --title T --force', '--force has no file to replace where - is standard output'],
    ['new - --title T --json', '--json has no place where - prints the protocol'],
    ['lint --explain no-h1 a.md', '--explain does not accept paths'],
    ['lint --explain no-h1 --fix', '--explain does not accept --fix'],
    ['lint --explain no-h1 --print-config a.md', '--explain does not accept --print-config'],
    ['lint --print-config a.md a.md', '--print-config does not accept paths'],
    ['lint --print-config a.md --fail-on info', '--print-config does not accept --fail-on'],
    ['lint --print-config a.md --no-inline-config', '--print-config does not accept --no-inline-config'],
  ])('%s', async (line, said) => {
    const { code, stdout, stderr } = await kairos(home, line.split(' '), { stdin: OLD });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(readdirSync(home.work)).toEqual(['a.md']);
    expect(readFileSync(join(home.work, 'a.md'), 'utf8')).toBe(OLD);
  });
});

describe('an option that has an effect is accepted', () => {
  it.each([
    ['migrate --stored --space other --allow-weaken', 0],
    ['migrate --json -', 1],
    ['fmt - --check --json', 0],
    ['fmt --check --diff', 0],
    ['lint --explain no-h1 --json', 0],
    ['lint --print-config a.md --no-config --rule no-h1=off --json', 0],
  ])('%s', async (line, code) => {
    expect(await kairos(home, line.split(' '), { stdin: OLD })).toMatchObject({ code });
  });
});
