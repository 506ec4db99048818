import { expect, test } from 'vitest';
import { parseScript, perScript } from '../../src/shell/commands.ts';

test('A parsed script is asked once, and every script by itself', () => {
  const asked: string[] = [];
  const firstName = perScript(({ text, commands }) => {
    asked.push(text);
    return commands[0]?.name ?? null;
  });
  const scripts = ['make all', '', 'git fetch'].map(parseScript);
  expect([...scripts, ...scripts].map(firstName)).toEqual(['make', null, 'git', 'make', null, 'git']);
  expect(asked).toEqual(['make all', '', 'git fetch']);
});

test('A command that comes again is parsed twice at most, and once if it follows itself', () => {
  const twice = () => ['make this-only-here', 'make that-only-here'].map(parseScript);
  const seen = [twice(), twice(), twice(), twice()].map(([first]) => first);
  expect(seen.map((parsed) => seen.indexOf(parsed))).toEqual([0, 1, 1, 1]);
  expect(parseScript('make it-at-once')).toBe(parseScript('make it-at-once'));
});
