import { expect, test } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { perScript } from '../../src/shell/per-script.ts';

test('Each script is asked once, and every script by itself', () => {
  const asked: string[] = [];
  const firstName = perScript(({ text, commands }) => {
    asked.push(text);
    return commands[0]?.name ?? null;
  });
  const scripts = ['make all', '', 'git fetch', 'make all', ''].map(parseScript);
  expect(scripts.map(firstName)).toEqual(['make', null, 'git', 'make', null]);
  expect(asked).toEqual(['make all', '', 'git fetch']);
});
