import { describe, expect, it } from 'vitest';
import { GROUP } from '../../src/cli/command.ts';
import { main } from '../../src/cli/main.ts';
import { fakeIo } from '../support/cli-io.ts';

async function run(...argv: string[]) {
  const { io, stdout, stderr } = fakeIo();
  const code = await main(argv, io);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe('main', () => {
  it.each([['--version'], ['-V'], ['--version', '--json'], ['list', '-V']])(
    'prints its version: %s %s',
    async (...argv) => {
      expect(await run(...argv)).toEqual({ code: 0, stdout: '0.0.0-source\n', stderr: '' });
    },
  );

  it('shows the commands in groups', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const heads = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, head]) => head);
    const groups = Object.values(GROUP).map((head) => head.replace(':', ''));
    expect(heads).toEqual(['Options', ...groups, 'Commands']);
  });

  it('shows the arguments of a command, and the options of all commands', async () => {
    const { code, stdout } = await run('help', 'attest');
    expect(code).toBe(0);
    for (const part of [
      '<protocol> <outcome> <message>',
      '--solution',
      '--run <id>',
      '--store <location>',
      '--json',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it("shows the help without a command, and doesn't exit with success", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr, first: stdout.split('\n')[0] }).toEqual({
      code: 2,
      stderr: '',
      first: 'Usage: kairos <command> [options]',
    });
  });

  it.each([
    [['lint', ''], 'the path is empty'],
    [['fmt', ''], 'the path is empty'],
    [['fmt', 'a.md', ''], 'the path is empty'],
    [['migrate', '--write', ''], 'the path is empty'],
    [['mint', ''], 'the path is empty'],
    [['show', ''], 'the target is empty'],
    [['run', ''], 'the target is empty'],
    [['new', ''], 'the file is empty'],
    [['run', 'a.md', '--workdir', ''], 'the value of --workdir is empty'],
    [['lint', '-', '--stdin-filename', ''], 'the value of --stdin-filename is empty'],
    [['runs', '--actor', ''], 'the value of --actor is empty'],
    [['runs', '--protocol='], 'the value of --protocol is empty'],
    [['begin', 'x', '--actor', ''], 'the value of --actor is empty'],
    [['runs', 'export', 'r', '--out='], 'the value of --out is empty'],
  ])('rejects an empty text as a path or a name: %j', async (argv, message) => {
    const { code, stdout, stderr } = await run(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    const names = ['--actor', '--protocol', '--stdin-filename'].some((name) => message.includes(name));
    expect(stderr).toContain('Is a variable not set?');
    expect(stderr.includes('This folder is written as a dot.')).toBe(!names);
  });

  it.each<[string[], string, string]>([
    [
      ['lsit'],
      "unknown command 'lsit'",
      'Did you mean list? Usage: kairos <command> [options]\nMore: kairos --help',
    ],
    [
      ['mint', 'a.md', '--forse'],
      "unknown option '--forse'",
      'Did you mean --force? Usage: kairos mint [options] <path...>\nMore: kairos mint --help',
    ],
    [
      ['mint'],
      "missing required argument 'path'",
      'Usage: kairos mint [options] <path...>\nMore: kairos mint --help',
    ],
    [
      ['list', 'extra'],
      "too many arguments for 'list'. Expected 0 arguments but got 1.",
      'Usage: kairos list [options]\nMore: kairos list --help',
    ],
    [
      ['search', 'x', '--limit', '51'],
      "option '--limit <n>' argument '51' is invalid. Give a whole number from 1 to 50.",
      'Usage: kairos search [options] <query...>\nMore: kairos search --help',
    ],
    [
      ['attest', 'kairos://mem/x', 'maybe', 'text'],
      "command-argument value 'maybe' is invalid for argument 'outcome'. Allowed choices are success, failure.",
      'Usage: kairos attest [options] <protocol> <outcome> <message>\nMore: kairos attest --help',
    ],
    [
      ['runs', 'shw', 'latest'],
      'kairos runs has no command "shw"',
      'Did you mean show? List the commands with: kairos runs --help',
    ],
    [
      ['runs', 'list', 'extra'],
      "too many arguments for 'list'. Expected 0 arguments but got 1.",
      'Usage: kairos runs list [options]\nMore: kairos runs list --help',
    ],
    [
      ['help', 'mnt'],
      'kairos has no command "mnt"',
      'Did you mean mint? List the commands with: kairos --help',
    ],
    [
      ['runs', 'show'],
      "missing required argument 'run'",
      'Usage: kairos runs show [options] <run>\nMore: kairos runs show --help',
    ],
    [
      ['list', '--color', 'pink'],
      "option '--color <when>' argument 'pink' is invalid. Allowed choices are auto, always, never.",
      'Usage: kairos <command> [options]\nMore: kairos --help',
    ],
  ])('ends with 2 and the usage: %j', async (argv, message, hint) => {
    expect(await run(...argv)).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\nhint: ${hint}\n` });
    const json = await run(...argv, '--json');
    expect({ ...json, stderr: JSON.parse(json.stderr) }).toEqual({
      code: 2,
      stdout: '',
      stderr: { error: { code: 'USAGE', message, hint, url: null } },
    });
  });

  it('escapes what was typed', async () => {
    const { code, stderr } = await run('\x1b[2J\u202eevil');
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      first: "error: unknown command '\\x1b[2J\\u{202e}evil'",
    });
  });

  it('accepts the options of all commands before and after the command', async () => {
    for (const argv of [
      ['--json', 'list', '--space', '!'],
      ['--space', '!', 'list', '--json'],
    ]) {
      const { code, stderr } = await run(...argv);
      expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 2, error: 'INVALID_INPUT' });
    }
  });
});
