import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rulePages } from '../../scripts/rule-pages.ts';

const FOLDER = new URL('../../docs/rules/', import.meta.url);

describe('docs/rules', () => {
  it('matches the rules (else: node scripts/rule-docs.mjs)', async () => {
    const pages = await rulePages();
    const names = readdirSync(FOLDER);
    expect(names.sort()).toEqual([...pages.keys()].sort());
    for (const [name, text] of pages) expect(readFileSync(new URL(name, FOLDER), 'utf8'), name).toBe(text);
  });
});
