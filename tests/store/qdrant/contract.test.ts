import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { startServer, type TestServer } from '../../support/qdrant-double/test-server.ts';
import { storeContract } from '../contract.ts';
import { searchContract } from '../search-contract.ts';
import { vectorContract } from '../vector-contract.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const onServer = () => openQdrantStore(server.freshAddress(), { apiKey: server.apiKey });

storeContract('Qdrant', onServer);
searchContract('Qdrant', onServer);
vectorContract('Qdrant', onServer);

describe('what went over the wire', () => {
  it('matched the official document of the API', () => {
    expect(server.violations()).toEqual([]);
  });
});
