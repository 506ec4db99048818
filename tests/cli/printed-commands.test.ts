import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, describe, expect, it } from 'vitest';
import { commandLine, plainCommand, programName, setProgram } from '../../src/base/command-line.ts';
import { HELP_EXAMPLES } from '../../src/cli/help-examples.ts';
import { main } from '../../src/cli/main.ts';
import { fakeIo } from '../support/cli-io.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Texts about kairos rather than for the person in front of it: help, schemas, documents that go elsewhere. */
const ABOUT = [
  /command\.ts$|cli\/every-command\.ts$|cli\/help-examples\.ts$|cli\/commands\/completion\/handler\.ts$/,
  /json-schemas?\.ts$|schema\.ts$|lint\/(?:rules|reporters)\//,
  // A page, a skill or a configuration is read on other machines.
  /report\/html\.ts$|operations\/export-protocol\.ts$|install\/(?:toml-config|handler|hooks-config)\.ts$/,
  /mcp\/(?:prompts|resources)\//,
];

afterEach(() => setProgram(undefined));

/** The texts in a file that name a command of kairos by the name `kairos`. */
function namedCommands(file: string, names: RegExp): string[] {
  const found: string[] = [];
  const text = readFileSync(join(SRC, file), 'utf8');
  // Reading the syntax of every file would take seconds.
  if (!names.test(text)) return found;
  const source = ts.createSourceFile(file, text, 99, true);
  const visit = (node: ts.Node) => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && names.test(node.text)) found.push(`${file}: ${node.text}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('printed commands', () => {
  it('never name the program by themselves', () => {
    const words = new Set(HELP_EXAMPLES.map((line) => line.split(' ')[1]));
    const names = new RegExp(`\\bkairos (?:${[...words].join('|')})\\b(?!:)`);
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !ABOUT.some((pattern) => pattern.test(file)),
    );
    expect(files.flatMap((file) => namedCommands(file, names))).toEqual([]);
  });

  it('start as the program was called', () => {
    expect([programName(), plainCommand(['runs'])]).toEqual(['kairos', 'kairos runs']);
    setProgram(() => ['npx', 'kairos-protocols']);
    expect(commandLine(['--space', 'ops'])(['verify', 'a b'])).toBe(
      "npx kairos-protocols verify 'a b' --space ops",
    );
    setProgram(() => ['node', '/home/a b/kairos.js']);
    expect(plainCommand(['runs'])).toBe("node '/home/a b/kairos.js' runs");
  });

  it('are looked up once, and only when one is printed', () => {
    let calls = 0;
    setProgram(() => {
      calls += 1;
      return ['ks'];
    });
    expect(calls).toBe(0);
    expect([programName(), programName(), calls]).toEqual(['ks', 'ks', 1]);
  });

  it.each([
    [
      'an error',
      ['runs', 'shw'],
      'stderr',
      'hint: Did you mean show? List the commands with: npm run dev -- runs --help',
    ],
    ['a help page', ['doctor', '--help'], 'stdout', 'Examples:\n  npm run dev -- doctor'],
    ['a usage line', ['doctor', '--help'], 'stdout', 'Usage: npm run dev -- doctor'],
    ['an error of a command', ['trust'], 'stderr', 'npm run dev -- trust --list'],
  ] as const)('of %s start so too', async (_what, argv, stream, text) => {
    const fake = fakeIo({ env: { HOME: '/nowhere' } });
    await main(argv, { ...fake.io, calledAs: () => ['npm', 'run', 'dev', '--'] });
    expect(fake[stream]()).toContain(text);
  });
});
