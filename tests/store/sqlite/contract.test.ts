import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { storeContract } from '../contract.ts';
import { searchContract } from '../search-contract.ts';
import { vectorContract } from '../vector-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

const inFile = () => {
  count += 1;
  return openSqliteStore(join(folder, `${count}.db`));
};
const inMemory = () => openSqliteStore(':memory:');

storeContract('SQLite file', inFile);
storeContract('SQLite memory', inMemory);
searchContract('SQLite file', inFile);
searchContract('SQLite memory', inMemory);
vectorContract('SQLite file', inFile);
vectorContract('SQLite memory', inMemory);
