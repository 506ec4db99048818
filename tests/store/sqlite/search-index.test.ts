import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainId, digest } from '../../../src/protocol/identity.ts';
import { chainsAfter, deleteChain, refreshIndex } from '../../../src/store/sqlite/chains.ts';
import { type Connection, loadSqliteDriver, writeTransaction } from '../../../src/store/sqlite/driver.ts';
import { MEMORY, openDatabase } from '../../../src/store/sqlite/open.ts';
import { putRevision } from '../../../src/store/sqlite/put-revision.ts';
import { searchChains } from '../../../src/store/sqlite/search.ts';
import { PROTOCOLS } from '../../search/fixtures/protocols.ts';
import { contentOf, revisionOf, SPACE } from '../builders.ts';

let connection: Connection;
beforeEach(async () => {
  connection = (await openDatabase(await loadSqliteDriver(), MEMORY)).connection;
  refreshIndex(connection);
});
afterEach(() => connection.close());

const rows = (table: string) =>
  Number(connection.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
const terms = () =>
  connection
    .prepare('SELECT term, chains FROM search_term ORDER BY term')
    .all()
    .map((row) => ({ ...row }));
const find = (query: string) =>
  searchChains(connection, { query, limit: 10, spaces: [SPACE] }, []).map(({ chain, score }) => [
    chain.slug,
    score,
  ]);

describe('search index', () => {
  it('leaves nothing of a chain behind but words for slips', () => {
    putRevision(connection, revisionOf(contentOf()), null);
    const before = terms();
    const other = contentOf({ slug: 'feed-the-cat', title: 'Feed the cat', steps: 5 });
    putRevision(connection, revisionOf(other), null);
    expect(terms()).not.toEqual(before);
    deleteChain(connection, chainId(SPACE, other.slug));
    expect(terms()).toEqual(before);
    deleteChain(connection, chainId(SPACE, contentOf().slug));
    expect(['search_document', 'search_phrase', 'search_term', 'search_text'].map(rows)).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('is the same after any way to a content', () => {
    const first = contentOf({ title: 'Feed the cat', triggers: '- meow' });
    const last = contentOf({ title: 'Water the plants', triggers: '- dry' });
    putRevision(connection, revisionOf(last), null);
    const direct = terms();
    putRevision(connection, revisionOf(first), digest(last));
    putRevision(connection, revisionOf(last), digest(first));
    expect(terms()).toEqual(direct);
    expect(find('meow')).toEqual([]);
  });

  it('is made again when words are made differently than when it was written', () => {
    for (const content of PROTOCOLS) putRevision(connection, revisionOf(content), null);
    const queries = ['npm release', 'relaese', 'データベース', 'production is down'];
    const before = queries.map(find);
    const known = terms();
    connection.exec(
      "UPDATE search_state SET format = -1; UPDATE search_term SET term = 'x' || term; DELETE FROM search_phrase",
    );
    expect(() => find('npm release')).toThrow(
      expect.objectContaining({
        code: 'STORE_UNAVAILABLE',
        message: 'the search index has format -1, not 3',
        hint: expect.stringContaining('Another version of kairos'),
      }),
    );
    const mint = () =>
      writeTransaction(connection, () => putRevision(connection, revisionOf(contentOf()), null));
    expect(mint).toThrow('has format -1');
    refreshIndex(connection);
    expect(queries.map(find)).toEqual(before);
    expect(terms()).toEqual(known);
    const changes = () => Number(connection.prepare('SELECT total_changes() AS n').get()?.n);
    const count = changes();
    refreshIndex(connection);
    expect(changes()).toBe(count);
  });
});

it('reads a page of protocols in the order of their keys, without sorting the space', () => {
  putRevision(connection, revisionOf(contentOf()), null);
  let statement = '';
  const spy = {
    ...connection,
    prepare: (sql: string) => {
      statement = sql;
      return connection.prepare(sql);
    },
  } as Connection;
  expect(chainsAfter(spy, SPACE, null, 5).map(({ slug }) => slug)).toEqual([contentOf().slug]);
  const plan = connection.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(SPACE, '', 5);
  const details = plan.map(({ detail }) => String(detail));
  expect(details[0]).toMatch(/^SEARCH chain USING INDEX sqlite_autoindex_chain_1 \(chain_id>\?\)$/);
  expect(details.join()).not.toContain('TEMP B-TREE');
});
