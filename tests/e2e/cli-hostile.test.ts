import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../src/base/escape.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type CliHome, type CliResult, kairos, makeHome } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';

/**
 * Text that a terminal would obey or hide must come out escaped, wherever it came from. Mint refuses the worst of it,
 * so some of it stands where mint does not look: in answers, file names, arguments, and as entities.
 */
const ZWSP = '\u200b';
/** What a step block may hold of characters that show nothing: a terminal gets none of them all the same. */
const JOINED = '👩\u200d💻';
const ANSI = '\x1b[31mred\x1b[0m\x1b]0;owned\x07';
const BIDI = '\u202egnp.exe';

let home: CliHome;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

/** Nothing but line breaks and tabs that escaping would change. */
function expectClean({ stdout, stderr }: CliResult): void {
  for (const text of [stdout, stderr]) {
    expect(escapeForTerminal(text, { keepNewlines: true, keepTabs: true })).toBe(text);
  }
}

async function run(args: string[], options: { stdin?: string } = {}): Promise<CliResult> {
  const result = await kairos(home, args, options);
  expectClean(result);
  return result;
}

describe('hostile text', () => {
  it.each([
    ['a control sequence', `# Title\n\n## Step ${ANSI}\n\nText.\n`],
    ['a bidi override', `# Title ${BIDI}\n\n## Step\n\nText.\n`],
    ['a tag character', '# Title\n\n## Step\n\nText \u{e0041}.\n'],
    [
      'a zero width space in a command',
      `# Title\n\n${stepOf('Step', 'Text.', { proof_of_work: { type: 'shell', shell: { cmd: `echo ${ZWSP}x` } } })}`,
    ],
  ])('is refused at mint, and the refusal is clean: %s', async (_name, document) => {
    const { code, stderr } = await run(['mint', '-'], { stdin: document });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('(hidden-character)') });
  });

  const sneaky = `# Sneaky${ZWSP} title

Shown &#27;[31mred&#27;[0m &#x202e;reversed${ZWSP}.

${stepOf(`Step${ZWSP} one`, `Body &#27;]0;owned&#7; <b>${ZWSP}</b> \`\`code${ZWSP}\`\``, { proof_of_work: { type: 'shell', shell: { cmd: 'echo hidden', stdout_matches: 'hidden' } } })}
${stepOf('Step two', 'Ask.', { proof_of_work: { type: 'user_input', user_input: { prompt: `Sure? ${JOINED}`, choices: [`yes ${JOINED}`] } } })}
${stepOf('Step three', 'Call.', { proof_of_work: { type: 'mcp', mcp: { tool_name: "tool'$(id)", arguments: { a: JOINED } } } })}
`;

  it('comes out escaped from every command that shows a protocol', async () => {
    const name = `file${ANSI}${BIDI}.md`;
    writeFileSync(join(home.work, name), sneaky);
    const minted = await run(['mint', name]);
    expect(minted.code).toBe(0);
    expect(minted.stdout).toContain('stored  file\\x1b[31mred');
    const uri = /kairos:\/\/mem\/\S+/.exec(minted.stdout)![0];
    for (const args of [
      ['list'],
      ['search', 'sneaky', 'title'],
      ['show', uri],
      ['show', `./${name}`],
      ['trust', uri],
      ['trust', `./${name}`],
      ['begin', uri],
      ['runs'],
      ['mint', name, '--color', 'always'],
    ]) {
      const shown = await kairos(home, args);
      const colored = args.includes('always');
      expectClean(colored ? { ...shown, stdout: shown.stdout.replace(/\x1b\[[\d;]*m/g, '') } : shown);
      expect(shown.stdout).not.toContain('\x1b]');
    }
    for (const args of [['list'], ['show', uri], ['dump', uri], ['search', 'sneaky title']])
      await run([...args, '--json']);
  });

  it('comes out escaped from runs and from the commands to type next', async () => {
    const [begun] = JSON.parse(`[${(await run(['begin', 'sneaky-title', '--json'])).stdout}]`) as [RunFields];
    const uri = begun.current_step!.uri;
    const { nonce, proof_hash } = begun.challenge!;
    const solution = {
      type: 'shell',
      nonce,
      proof_hash,
      shell: { exit_code: 0, stdout: `${ANSI}${ZWSP}${BIDI}` },
    };
    await run(['next', uri, '--solution', JSON.stringify(solution)]);
    await run(['attest', uri, 'failure', `No ${ANSI}${BIDI}`, '--run', begun.run_id!]);
    const shown = await run(['runs', 'show', begun.run_id!, '--entries']);
    expect(shown.stdout).toContain('\\x1b]0;owned\\x07');
    await run(['runs', 'show', begun.run_id!, '--json']);
    await run(['verify', begun.run_id!]);
  });

  it('comes out escaped from arguments and names of files', async () => {
    const bad = `${ANSI}${BIDI}${ZWSP}`;
    for (const args of [
      [bad],
      ['list', `--${bad}`],
      ['mint', bad],
      ['show', bad],
      ['begin', bad],
      ['next', bad],
      ['verify', bad],
      ['runs', 'show', bad],
      ['list', '--space', bad],
      ['trust', `./${bad}`],
      ['attest', 'kairos://mem/x', bad, 'x'],
      ['search', 'x', '--limit', bad],
    ]) {
      const { code } = await run(args);
      expect(code, JSON.stringify(args)).not.toBe(0);
      await run([...args, '--json']);
    }
    await run(['list', '--store', `${bad}.db`]);
    await run(['list', '--store', `./${bad}/none/`.repeat(200)]);
  });
});
