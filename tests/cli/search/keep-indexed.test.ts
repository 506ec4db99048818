import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KairosError } from '../../../src/base/errors.ts';
import { keepIndexed } from '../../../src/operations/index-chains.ts';
import type { Embedder } from '../../../src/search/embedding/embedder.ts';
import type { Store } from '../../../src/store/port.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { contentOf, revisionOf } from '../../store/builders.ts';

let store: Store;
let controller: AbortController;
let events: string[];
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  await store.putRevision(revisionOf(contentOf()), null);
  controller = new AbortController();
  events = [];
});
afterEach(() => store.close());

const embedder = (name: string): Embedder => ({
  name,
  batchSize: 4,
  embed: async (texts) => texts.map(({ length }) => Float32Array.of(length, 1)),
});
const keep = (chosen: Embedder) =>
  keepIndexed(store, chosen, {
    signal: controller.signal,
    pauseMs: 1,
    onIndexed: ({ indexed, done }) => events.push(`indexed ${indexed}, ${done} in all`),
    onFailed: ({ message }) => events.push(`failed: ${message}`),
    onReplaced: (model) => events.push(`left to ${model}`),
  });
const until = async (count: number) => {
  while (events.length < count) await new Promise((done) => setTimeout(done, 1));
};

describe('keepIndexed', () => {
  it('indexes all, and then what comes', async () => {
    const running = keep(embedder('test:one'));
    await until(1);
    await store.putRevision(revisionOf(contentOf({ slug: 'more', title: 'More' })), null);
    await until(2);
    controller.abort();
    await running;
    expect(events).toEqual(['indexed 1, 1 in all', 'indexed 1, 2 in all']);
  });

  it('retries a provider that is down, and reports it once', async () => {
    const one = embedder('test:one');
    let tries = 0;
    const flaky: Embedder = {
      ...one,
      embed: async (...given) => {
        tries += 1;
        if (tries < 4) throw new KairosError('EMBEDDING_FAILED', 'down');
        return one.embed(...given);
      },
    };
    const running = keep(flaky);
    await until(2);
    controller.abort();
    await running;
    expect(events).toEqual(['failed: down', 'indexed 1, 1 in all']);
  });

  it('leaves the index to a process that has changed to another model', async () => {
    const running = keep(embedder('test:one'));
    await until(1);
    await store.addVectorModel({ model: 'test:two#1', dimensions: 2, floor: 0, ceiling: 1 });
    await store.useVectorModel('test:two#1');
    await running;
    expect(events).toEqual(['indexed 1, 1 in all', 'left to test:two#1']);
  });

  it('ends where nothing can be written', async () => {
    const refused = new KairosError('READ_ONLY', 'only to be read');
    store.addVectorModel = async () => {
      throw refused;
    };
    await keep(embedder('test:one'));
    expect(events).toEqual(['failed: only to be read']);
  });
});
