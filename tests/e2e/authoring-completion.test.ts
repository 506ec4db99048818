import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, firstObject, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const offered = async (...words: string[]) => {
  const { code, stdout } = await kairos(home, ['completion', 'complete', '--', ...words]);
  const lines = stdout.trimEnd().split('\n');
  return { code, values: lines.slice(0, -1).map((line) => line.split('\t')[0]), last: lines.at(-1) };
};
const mint = (title: string) =>
  kairos(home, ['mint', '-'], { stdin: `# ${title}\n\n## One\n\nDo.\n\n## Two\n\nDo more.\n` });

describe('kairos completion complete', () => {
  it.each([
    ['commands', ['ru'], { values: ['run', 'runs'], last: ':nothing' }],
    ['commands below a command', ['runs', 'e'], { values: ['export'], last: ':nothing' }],
    ['options', ['lint', '--fail'], { values: ['--fail-on'], last: ':nothing' }],
    ['options that every command takes', ['lint', '--sp'], { values: ['--space'], last: ':nothing' }],
    ['values of an option', ['lint', '--fail-on', 'w'], { values: ['warning'], last: ':nothing' }],
    [
      'values of an option after =',
      ['lint', '--fail-on=w'],
      { values: ['--fail-on=warning'], last: ':nothing' },
    ],
    ['values of an argument', ['attest', 'x', ''], { values: ['success', 'failure'], last: ':nothing' }],
    ['the shells', ['completion', 'f'], { values: ['fish'], last: ':nothing' }],
    ['files', ['mint', ''], { values: [], last: ':files' }],
    ['files for an option', ['run', '--answers', ''], { values: [], last: ':files' }],
    ['no options after --', ['run', '--', '--di'], { values: [], last: ':files' }],
    ['nothing for a message', ['attest', 'x', 'success', ''], { values: [], last: ':nothing' }],
  ])('offers %s', async (_name, words, expected) => {
    expect(await offered(...words)).toEqual({ code: 0, ...expected });
  });

  it('offers slugs, URIs, spaces and runs of the store', async () => {
    await mint('Ship it');
    await mint('Shut it down');
    const { run_id } = firstObject<{ run_id: string }>(await kairosJson(home, ['begin', 'ship-it']));
    expect(await offered('run', 'sh')).toMatchObject({ values: ['ship-it', 'shut-it-down'], last: ':files' });
    expect(await offered('begin', 'shi')).toMatchObject({ values: ['ship-it'] });
    expect((await offered('next', 'kairos:')).values).toHaveLength(2);
    expect(await offered('--space', '')).toMatchObject({ values: ['default'] });
    expect(await offered('runs', 'show', '')).toMatchObject({ values: [run_id] });
    expect(await offered('next', 'x', '--run', run_id.slice(0, 4))).toMatchObject({ values: [run_id] });
  });

  it("creates no store, and ignores one that can't be read", async () => {
    expect(await offered('run', '')).toMatchObject({ code: 0, values: [] });
    expect(existsSync(join(home.data, 'kairos.db'))).toBe(false);
    writeFileSync(join(home.data, 'kairos.db'), 'no database at all');
    expect(await offered('run', '')).toMatchObject({ code: 0, values: [], last: ':files' });
  });

  it('is not in the help', async () => {
    expect((await kairos(home, ['completion', '--help'])).stdout).not.toContain('complete [');
  });
});

it('refuses a shell that it does not know', async () => {
  expect(await kairos(home, ['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
});

it.each(['bash', 'zsh', 'fish', 'powershell'])(
  'prints a script for %s that evaluates nothing',
  async (shell) => {
    const { code, stdout } = await kairos(home, ['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('kairos completion complete');
    expect(stdout).not.toMatch(/\beval\b|Invoke-Expression/);
  },
);

/** The script in a real bash, asked as readline asks it. */
describe.runIf(SPAWNS && existsSync('/bin/bash'))('the bash script', () => {
  const replies = async (line: string): Promise<string[]> => {
    const { stdout: script } = await kairos(home, ['completion', 'bash']);
    const program = `compopt() { :; }\n${script}\nCOMP_LINE=$1 COMP_POINT=${'$'}{#1}\n_kairos\nprintf '%s\\n' "${'$'}{COMPREPLY[@]}"`;
    const output = execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', program, 'bash', line], {
      cwd: home.work,
      env: home.env,
      encoding: 'utf8',
    });
    return output.split('\n').filter((reply) => reply !== '');
  };

  it('completes commands, options and values after =', async () => {
    expect(await replies('kairos ru')).toEqual(['run', 'runs']);
    expect(await replies('kairos lint --fail-on=w')).toEqual(['warning']);
    expect(await replies('kairos lint --fail-on ')).toEqual(['error', 'warning', 'info', 'never']);
  });

  it('completes slugs together with files, and URIs after their colon', async () => {
    await mint('Ship it');
    writeFileSync(join(home.work, 'ship notes.md'), '');
    expect(await replies('kairos run sh')).toEqual(['ship-it', 'ship notes.md']);
    const [uri] = await replies('kairos next kairos:');
    expect(uri).toMatch(/^\/\/mem\/[0-9a-f-]{36}$/);
  });

  it('runs nothing that is on the line', async () => {
    await replies('kairos run $(touch ran) `touch ran` ; touch ran ; ');
    expect(existsSync(join(home.work, 'ran'))).toBe(false);
  });
});

/** Where a program is found; null when it is not installed. */
function installed(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

const fish = installed('fish');
const zsh = installed('zsh');

/** Runs a shell that has `kairos` on its path and the script of its completion in a file. */
async function inShell(
  shell: string,
  name: 'fish' | 'zsh',
  program: (script: string) => string,
): Promise<string> {
  const script = join(home.root, `completion.${name}`);
  writeFileSync(script, (await kairos(home, ['completion', name])).stdout);
  return execFileSync(shell, [name === 'zsh' ? '-fc' : '-c', program(script)], {
    cwd: home.work,
    env: home.env,
    encoding: 'utf8',
  });
}

it.runIf(SPAWNS && fish !== null)('completes in a real fish', async () => {
  const output = await inShell(
    fish!,
    'fish',
    (script) => `source ${script}; complete -C 'kairos lint --fail-on '`,
  );
  expect(output.split('\n').map((line) => line.split('\t')[0])).toEqual(
    expect.arrayContaining(['error', 'warning', 'info', 'never']),
  );
});

it.runIf(SPAWNS && zsh !== null)('is loaded by a real zsh, which knows its function', async () => {
  const output = await inShell(
    zsh!,
    'zsh',
    (script) => `autoload -Uz compinit && compinit -D && source ${script} && print -r -- $_comps[kairos]`,
  );
  expect(output.trim()).toBe('_kairos');
});
