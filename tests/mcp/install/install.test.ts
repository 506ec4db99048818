import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTALL_CLIENTS } from '../../../src/mcp/install/clients.ts';
import { install } from '../../../src/mcp/install/install.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-install-'));
  file = join(folder, 'mcp.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 15, 12);
const put = (name: string) =>
  install({ client: INSTALL_CLIENTS.cursor, file, name, start: { command: 'kairos', args: ['serve'] } }, NOW);

describe('the file as it was', () => {
  it('is kept each time, also within one second', async () => {
    writeFileSync(file, '{"a": 1}');
    const texts = [];
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      texts.push(readFileSync(file, 'utf8'));
      const backup = `${file}.20260115T120000Z${['', '-2', '-3'][at]}.bak`;
      expect(await put(name)).toEqual({ change: 'changed', backup });
    }
    const kept = readdirSync(folder).filter((name) => name.endsWith('.bak'));
    expect(kept.map((name) => readFileSync(join(folder, name), 'utf8')).toSorted()).toEqual(texts.toSorted());
    expect(await put('c')).toEqual({ change: 'none', backup: null });
    expect(readdirSync(folder)).toHaveLength(4);
  });
});
