import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { migrateSource } from '../../../src/lint/rewrite/migrate-source.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8');
const page = read('docs/migration.md');

it('names the day that STABILITY.md names, at least three months after it was written', () => {
  const day = /until \*\*(\d{4}-\d\d-\d\d)\*\*/;
  expect(day.exec(page)?.[1]).toBe(day.exec(read('STABILITY.md'))?.[1]);
  expect(day.exec(page)?.[1]).toBe('2027-06-30');
});

const lines = [...page.matchAll(/^\| `(PROOF OF WORK: [^`]+)` \|/gm)].map((match) => match[1]!);

it.each(lines)('is right about %s', async (line) => {
  const { text, decisions } = await migrateSource(`# A title\n\n## Step\n\n${line}\n`);
  expect(decisions).toEqual([]);
  const { document, messages } = await parseProtocol(text);
  expect(messages).toEqual([]);
  expect(document.chains[0]!.steps[0]!.block).toMatchObject({
    format: /mcp|user_input|comment/.test(line) ? 'json' : 'shorthand',
    spelling: 'proof_of_work',
  });
});

it('has every form of a proof line', () => {
  expect(lines).toHaveLength(5);
});
