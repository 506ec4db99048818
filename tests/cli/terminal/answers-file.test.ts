import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAnswersFile } from '../../../src/cli/commands/run/open-session.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-answers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('reads a file, and reports what is wrong with an unreadable one', async () => {
  const path = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  expect(await readAnswersFile(path('good.json', '{"answers": {"1": "x"}}'))).toEqual(new Map([['1', 'x']]));
  expect(await readAnswersFile(path('bom.yaml', '\ufeffanswers: {1: x}'))).toEqual(new Map([['1', 'x']]));
  await expect(readAnswersFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  await expect(readAnswersFile(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  await expect(readAnswersFile(path('bad', Buffer.from([0xff])))).rejects.toThrow('it is not UTF-8');
  await expect(readAnswersFile(path('big', 'x'.repeat(1024 * 1024 + 1)))).rejects.toThrow(
    'it is larger than 1 MiB',
  );
});
