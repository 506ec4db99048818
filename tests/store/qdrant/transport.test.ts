import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RETRY_POLICY } from '../../../src/store/qdrant/failures.ts';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { type Fault, type QdrantDouble, startDouble } from '../../support/qdrant-double/server.ts';
import { begun, contentOf, next, revisionOf } from '../builders.ts';

const QUICK = { ...RETRY_POLICY, firstDelayMs: 1, longestDelayMs: 5 };
const KEY = 'k-7f3a-geheim';

let double: QdrantDouble;
beforeEach(async () => {
  double = await startDouble({ apiKey: KEY });
});
afterEach(async () => {
  expect(double.violations).toEqual([]);
  await double.close();
});

const open = (options = {}) =>
  openQdrantStore(double.address(), { apiKey: KEY, retry: QUICK, timeoutMs: 300, ...options });

/** Lets the fault happen to the next `times` requests that match. */
function inject(fault: Fault, pattern: RegExp, times = 1): void {
  let left = times;
  double.fault = (request) => {
    if (left === 0 || !pattern.test(request)) return null;
    left -= 1;
    return fault;
  };
}

describe('a fault that passes', () => {
  const faults: [string, Fault][] = [
    ['429', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
    [
      '429 until a date',
      { kind: 'status', status: 429, headers: { 'retry-after': 'Fri, 02 Jan 2026 03:04:15 GMT' } },
    ],
    ['503', { kind: 'status', status: 503 }],
    [
      '503 of a proxy that names it JSON',
      { kind: 'status', status: 503, body: '<html>', headers: { 'content-type': 'application/json' } },
    ],
    ['500', { kind: 'status', status: 500 }],
    ['502 of a proxy', { kind: 'status', status: 502, body: '<html>Bad gateway</html>' }],
    ['a reset', { kind: 'reset' }],
    ['an answer that is lost after the work was done', { kind: 'lost' }],
    ['half of an answer', { kind: 'torn' }],
    ['no answer in time', { kind: 'delay', ms: 600 }],
    ['an answer of something else', { kind: 'status', status: 200, body: 'Welcome!' }],
  ];

  it.each(faults)('%s: nothing is lost, and nothing is there twice', async (_, fault) => {
    const store = await open();
    const content = contentOf();
    inject(fault, /^PUT .*points$/, 2);
    expect(await store.putRevision(revisionOf(content), null)).toBe('stored');
    inject(fault, /^POST .*points$/, 2);
    expect(await store.createRun('r1', 1, [begun('r1')])).toBe(true);
    inject(fault, /points/, 3);
    expect(await store.appendEntries('r1', 1, [next(begun('r1'), 'step.shown')])).toBe(true);
    inject(fault, /^PUT .*points$/, 2);
    await store.rate(revisionOf(content).chainId, revisionOf(content).digest, 'success', 0.5);
    inject(fault, /./, 2);
    expect(await store.readEntries('r1')).toHaveLength(2);
    expect(await store.revisions(revisionOf(content).chainId)).toHaveLength(1);
    expect(await store.quality(revisionOf(content).chainId)).toEqual({ runs: 1, successes: 1, bonus: 0.5 });
    await store.close();
  });

  it('also while the collection is made', async () => {
    for (const [, fault] of faults.slice(0, 9)) {
      const store = await openQdrantStore(double.address(`c${double.requests.length}`), {
        apiKey: KEY,
        retry: QUICK,
        timeoutMs: 300,
      });
      inject(fault, /^(?:PUT|POST) .*(?:v1|index|aliases)$/, 4);
      expect(await store.createRun('r1', 1, [begun('r1')])).toBe(true);
      await store.close();
    }
  });
});

describe('a fault that stays', () => {
  it.each<[string, Fault, RegExp]>([
    ['503', { kind: 'status', status: 503 }, /answered 503: injected/],
    ['429', { kind: 'status', status: 429, headers: { 'retry-after': '3600' } }, /answered 429/],
    ['resets', { kind: 'reset' }, /broke the connection off/],
    ['half answers', { kind: 'torn' }, /broke the connection off|not whole/],
    ['no answer', { kind: 'delay', ms: 700 }, /did not answer within 0\.3 s/],
    [
      'a fault that is named JSON and is not',
      { kind: 'status', status: 401, body: `no: ${KEY}`, headers: { 'content-type': 'application/json' } },
      /not from Qdrant/,
    ],
    ['another program', { kind: 'status', status: 200, body: '<html>' }, /not from Qdrant/],
    ['not found by a proxy', { kind: 'status', status: 404, body: '<html>' }, /not as Qdrant does/],
    ['a wrong key', { kind: 'status', status: 401, body: `no: ${KEY}` }, /does not let kairos in/],
    [
      'an echoed key',
      { kind: 'status', status: 503, body: `{"status":{"error":"bad ${KEY}"}}` },
      /bad \*\*\*/,
    ],
  ])('%s: is reported, never as an empty store, and never with the key', async (_, fault, words) => {
    const store = await open({ retry: { ...QUICK, attempts: 2 } });
    await store.createRun('r1', 1, [begun('r1')]);
    double.fault = () => fault;
    const asked = [
      store.readEntries('r1'),
      store.findRun('r1'),
      store.head(revisionOf(contentOf()).chainId),
      store.searchChains({ query: 'plants', limit: 1, spaces: ['personal'] }),
      store.appendEntries('r1', 1, [next(begun('r1'), 'step.shown')]),
      store.createRun('r2', 2, [begun('r2')]),
    ];
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } });
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason.message).toMatch(words);
      expect(JSON.stringify([reason.message, reason.hint, String(reason.cause), reason.stack])).not.toContain(
        KEY,
      );
    }
    double.fault = () => null;
    await store.close();
  });

  it('is the same before the collection is known', async () => {
    double.fault = () => ({ kind: 'status', status: 503 });
    const store = await open({ retry: { ...QUICK, attempts: 2 } });
    await expect(store.listSpaces()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    double.fault = () => null;
    expect(await store.listSpaces()).toEqual([]);
    await store.close();
  });

  it('is different from an unreachable server', async () => {
    const other = await startDouble();
    await other.close();
    for (const [port, words] of [
      [other.port, 'cannot be reached (ECONNREFUSED)'],
      [1, 'cannot be reached (bad port)'],
    ] as const) {
      const store = await openQdrantStore(`qdrant://127.0.0.1:${port}/none`, { retry: QUICK });
      await expect(store.listSpaces()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: `the store qdrant://127.0.0.1:${port}/none ${words}`,
      });
      await store.close();
    }
  });

  it('a collection that vanished is a fault, not an empty store', async () => {
    const store = await open();
    await store.createRun('r1', 1, [begun('r1')]);
    double.state.collections.clear();
    double.state.aliases.clear();
    await expect(store.readEntries('r1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await store.close();
  });
});

describe('several nodes of a cluster', () => {
  /** Three addresses of one store. */
  async function cluster() {
    const nodes = [await startDouble(), await startDouble(), await startDouble()];
    for (const node of nodes) node.state = nodes[0]!.state;
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const store = await openQdrantStore(`qdrant://${hosts}/team`, { retry: QUICK, timeoutMs: 300 });
    return { nodes, store, hosts };
  }

  it.each<[string, Fault]>([
    ['resets', { kind: 'reset' }],
    ['503', { kind: 'status', status: 503 }],
    ['no answer', { kind: 'delay', ms: 700 }],
  ])('uses the next address while one has only %s, and stays with it', async (_, fault) => {
    const { nodes, store } = await cluster();
    await store.createRun('r1', 1, [begun('r1')]);
    expect(nodes.map(({ requests }) => requests.length > 0)).toEqual([true, false, false]);
    nodes[0]!.fault = () => fault;
    const before = nodes[0]!.requests.length;
    const first = next(begun('r1'), 'step.shown');
    expect(await store.appendEntries('r1', 1, [first])).toBe(true);
    expect(await store.appendEntries('r1', 2, [next(first, 'step.shown')])).toBe(true);
    expect(await store.readEntries('r1')).toHaveLength(3);
    expect(nodes[0]!.requests.length).toBe(before + 1);
    expect(nodes[1]!.requests.length).toBeGreaterThan(2);
    expect(nodes[2]!.requests).toEqual([]);
    await store.close();
    for (const node of nodes) await node.close();
  });

  it('uses another node when its own ends, until all have ended', async () => {
    const { nodes, store, hosts } = await cluster();
    await store.createRun('r1', 1, [begun('r1')]);
    await nodes[0]!.close();
    expect(await store.readEntries('r1')).toHaveLength(1);
    await nodes[1]!.close();
    expect(await store.readEntries('r1')).toHaveLength(1);
    await nodes[2]!.close();
    await expect(store.readEntries('r1')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`qdrant://${hosts}/team`),
    });
    await store.close();
  });

  it('is not tried elsewhere with a key that one node refuses', async () => {
    const { nodes, store } = await cluster();
    nodes[0]!.fault = () => ({ kind: 'status', status: 401, body: 'no' });
    await expect(store.listSpaces()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(nodes[1]!.requests).toEqual([]);
    await store.close();
    for (const node of nodes) await node.close();
  });
});

describe('the key', () => {
  it('is rejected when no header can carry it, and not printed', async () => {
    await expect(open({ apiKey: 'ge\nheim' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.not.stringContaining('heim'),
    });
  });

  it('causes a warning where it would go unencrypted to another machine', async () => {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    await (await openQdrantStore('qdrant://q.example.org', { apiKey: KEY, warn })).close();
    await (await openQdrantStore('qdrant+https://q.example.org', { apiKey: KEY, warn })).close();
    await (await openQdrantStore('qdrant://localhost', { apiKey: KEY, warn })).close();
    await (await openQdrantStore('qdrant://q.example.org', { warn })).close();
    expect(warnings).toEqual([
      'the API key goes over the network unencrypted; qdrant://q.example.org:6333/kairos does not use TLS',
    ]);
  });
});

describe('a server that is not Qdrant', () => {
  it.each([
    ['qdrant - vector search engine', '1.16.3', /runs Qdrant 1\.16\.3/],
    ['qdrant - vector search engine', '0.11.0', /runs Qdrant 0\.11\.0/],
    ['elasticsearch', '9.0.0', /is not a Qdrant server/],
  ])('%s %s', async (title, version, words) => {
    const server = createServer((_, response) => response.end(JSON.stringify({ title, version })));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const store = await openQdrantStore(`qdrant://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const asked = store.listSpaces();
    await expect(asked).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(words),
    });
    await store.close();
    await new Promise((done) => server.close(done));
  });

  it('a collection of another program, or of a newer kairos', async () => {
    const common = { indexes: new Map(), points: new Map(), operations: 0 };
    double.state.collections.set('kairos', { name: 'kairos', config: {}, ...common });
    const store = await open();
    await expect(store.listSpaces()).rejects.toMatchObject({
      message: expect.stringMatching(/another program/),
    });
    await expect(store.createRun('r1', 1, [begun('r1')])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    const config = { metadata: { kairos: 99 } };
    double.state.collections.set('kairos', { name: 'kairos', config, ...common });
    await expect(store.listSpaces()).rejects.toMatchObject({
      message: expect.stringMatching(/has layout 99/),
    });
    await store.close();
  });
});

describe('a store opened for reading', () => {
  it('writes nothing, not even the collection', async () => {
    const store = await open({ readOnly: true });
    expect(await store.listSpaces()).toEqual([]);
    for (const write of [
      () => store.putRevision(revisionOf(contentOf()), null),
      () => store.deleteChain('x'),
      () => store.rate('x', 'y', 'success', 0),
      () => store.createRun('r1', 1, [begun('r1')]),
      () => store.appendEntries('r1', 1, []),
      () => store.addVectorModel({ model: 'm', dimensions: 1, floor: 0, ceiling: 1 }),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 'READ_ONLY' });
    }
    expect(double.state.collections.size).toBe(0);
    await store.close();
    await expect(store.listSpaces()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
