import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { deleteChains } from '../../src/operations/delete.ts';
import { mint } from '../../src/operations/mint.ts';
import { update } from '../../src/operations/update.ts';
import { lastListed } from '../../src/operations/weaken.ts';
import { chainId, stepUri } from '../../src/protocol/identity.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { openStore, withReserved } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port.ts';
import { openQdrantStore } from '../../src/store/qdrant/store.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { startServer, type TestServer } from '../support/qdrant-double/test-server.ts';

const TITLE = 'Ask before it';
const STRICT = protocolOf(['user_input', 'shell'], TITLE);
const LOOSE = protocolOf(['none', 'shell'], TITLE);
const STRICTER = protocolOf(['user_input', 'shell', 'comment'], TITLE);
const ID = chainId('default', 'ask-before-it');
const HEAD = stepUri(ID, 1);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const STORES: Record<string, () => Promise<Store>> = {
  SQLite: () => openStore({ location: ':memory:', dataDir: '/nonexistent' }),
  Qdrant: () => openQdrantStore(server.freshAddress(), { apiKey: server.apiKey }),
};

describe.each(Object.keys(STORES))('a protocol that was deleted, on %s', (name) => {
  let human: TestContext;
  let agent: TestContext;
  beforeEach(async () => {
    human = await makeContext({ store: withReserved(await STORES[name]!()) });
    agent = { ...human, allowWeaken: false };
    await mint(agent, { markdown_doc: STRICT });
    await deleteChains(agent, { uris: [HEAD] });
  });

  it.each([false, true])('does not come back with less than it demanded (force_update %s)', async (force) => {
    await expect(mint(agent, { markdown_doc: LOOSE, force_update: force })).rejects.toMatchObject({
      code: 'READ_ONLY',
      message:
        'this change is rejected: the demand of step 1 was removed or loosened, compared with revision 1, the last before the protocol was deleted',
    });
    expect(await human.store.head(ID)).toBeNull();
    await expect(
      update(agent, { uris: [HEAD], markdown_doc: [LOOSE] }).then(({ results }) => results[0]),
    ).resolves.toMatchObject({ status: 'error' });
    expect(await human.store.revisions(ID)).toHaveLength(1);
  });

  it('comes back unchanged or with more', async () => {
    await mint(agent, { markdown_doc: STRICT });
    expect(await human.store.head(ID)).toMatchObject({ number: 2, weakened: null });
    await deleteChains(agent, { uris: [HEAD] });
    await mint(agent, { markdown_doc: STRICTER });
    expect(await human.store.head(ID)).toMatchObject({ number: 3, weakened: null });
  });

  it('is held against what it demanded last, not against what it once was', async () => {
    await mint(agent, { markdown_doc: STRICTER });
    await deleteChains(agent, { uris: [HEAD] });
    await expect(mint(agent, { markdown_doc: STRICT })).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(await lastListed(human.store, ID)).toMatchObject({ number: 2 });
  });

  it('may come back with less where a human does it; the record, begin and attest report it', async () => {
    await mint(human, { markdown_doc: LOOSE });
    expect(await human.store.head(ID)).toMatchObject({
      number: 2,
      weakened: 'the demand of step 1 was removed or loosened',
    });
    const told = 'Revision 2 of this protocol loosened a demand of the one before it.';
    const { run_id, message } = (await begin(agent, { uri: HEAD })) as RunFields;
    expect(message).toContain(told);
    const end = await attest(agent, {
      uri: HEAD,
      run_id: run_id!,
      outcome: 'failure',
      message: 'Gave it up.',
    });
    expect(end.message).toContain(told);
  });

  it('that never was listed is as good as new', async () => {
    const unlisted = chainId('default', 'other-walk');
    const kept = (await human.store.revisions(ID))[0]!;
    await human.store.putRevision(
      { ...kept, chainId: unlisted, content: { ...kept.content, slug: 'other-walk' }, listed: false },
      null,
    );
    expect(await lastListed(human.store, unlisted)).toBeNull();
    await mint(agent, { markdown_doc: protocolOf(['none'], 'Other walk') });
    expect(await human.store.head(unlisted)).toMatchObject({ number: 1, weakened: null });
  });
});
