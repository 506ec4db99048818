import { Command, Option } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lintDefinition } from '../../../src/cli/commands/lint/command.ts';
import { fastPathArgs } from '../../../src/cli/commands/lint/plain-args.ts';

const ARGS = [
  ...[
    'a.md',
    'docs',
    '',
    '*.md',
    '-',
    '--',
    '--quiet',
    '--exit-zero',
    '--json',
    '--no-config',
    '--no-inline-config',
  ],
  ...['--format', '--format=compact', 'sarif:x', '--fail-on', '--fail-on=info', 'warning', 'else', '--rule'],
  ...[
    '--rule=a=off',
    '--fix',
    '--diff',
    '--watch',
    '--explain',
    '--max-warnings',
    '3',
    '--quie',
    '-q',
    '--config',
  ],
  ...['--no-config=x', '--color', 'never', '--json=1', '--format='],
];

/** What the definition of the command makes of arguments; null when it refuses them. */
async function defined(argv: readonly string[]): Promise<{ paths: string[]; options: object } | null> {
  const program = new Command('kairos')
    .option('--json')
    .addOption(new Option('--color <when>').choices(['auto', 'always', 'never']).default('auto'));
  let called: { paths: string[]; options: object } | null = null;
  const lint = lintDefinition((command) =>
    command.action(() => {
      called = { paths: command.processedArgs[0] as string[], options: command.optsWithGlobals() };
    }),
  );
  program.addCommand(lint);
  for (const command of [program, lint])
    command.exitOverride().configureOutput({ outputError: () => undefined });
  try {
    await program.parseAsync(['lint', ...argv], { from: 'user' });
  } catch {
    return null;
  }
  return called;
}

describe('plainArgs', () => {
  it('reads arguments as the definition of the command does, or not at all', async () => {
    let plain = 0;
    const property = async (argv: string[]) => {
      const read = fastPathArgs(argv);
      if (read === null) return;
      plain += 1;
      expect(read).toEqual(await defined(argv));
    };
    await fc.assert(fc.asyncProperty(fc.array(fc.constantFrom(...ARGS), { maxLength: 5 }), property), {
      numRuns: 300,
    });
    expect(plain).toBeGreaterThan(0);
  });

  it.each([
    { argv: [], paths: [], options: {} },
    {
      argv: ['a.md', '--format', 'json', 'b.md', '--format=sarif:x'],
      paths: ['a.md', 'b.md'],
      options: { format: ['json', 'sarif:x'] },
    },
    { argv: ['-', '--quiet', '--fail-on', 'never'], paths: ['-'], options: { quiet: true, failOn: 'never' } },
  ])('reads $argv', ({ argv, paths, options }) => {
    expect(fastPathArgs(argv)).toEqual({
      paths,
      options: { color: 'auto', failOn: 'error', inlineConfig: true, ...options },
    });
  });

  it.each([
    { argv: [''] },
    { argv: ['--config', 'x', '--no-config'] },
    { argv: ['--fix'] },
    { argv: ['--help'] },
    { argv: ['--format'] },
    { argv: ['--format', '-x'] },
    { argv: ['--fail-on', 'all'] },
    { argv: ['--'] },
    { argv: ['a', '--debug'] },
  ])('leaves $argv to the definition', ({ argv }) => {
    expect(fastPathArgs(argv)).toBeNull();
  });
});
