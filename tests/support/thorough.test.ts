import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { thoroughFiles } from '../setup/thorough-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-thorough-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('finds each test that tries fewer cases, also through other files', () => {
  const files = {
    'support/thorough.ts': 'export const runs = 1;',
    'gate/direct.test.ts': "import { runs } from '../support/thorough.ts';",
    'store/contract.ts': "import {\n  runs,\n} from '../support/thorough.ts';",
    'store/kind/helper.ts': "export * from '../contract.ts';",
    'store/kind/through.test.ts': "import { contract } from './helper.ts';",
    'store/kind/other.test.ts': "import { runs } from './thorough.ts';",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const found = ['gate/direct.test.ts', 'store/kind/through.test.ts'];
  expect(thoroughFiles(folder)).toEqual(found.map((path) => join(folder, path)));
});
