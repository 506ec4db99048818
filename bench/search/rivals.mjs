// Other ways to search the same texts, with the same weights of fields (8 title, 3 triggers and description, 1 steps) and stop
// words dropped from queries. Each is a pair of a name and a search that answers titles, best first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import MiniSearch from 'minisearch';
import { isStopWord, loadSqliteDriver, staticEmbedder, unit, words } from '../../dist/bench.js';

const HITS = 10;
const BOOST = { title: 8, summary: 3, body: 1 };

export async function makeRivals(protocols, queries, { rivals, teacher }) {
  const documents = protocols.map(({ title, triggers, description, steps }, id) => ({
    id: String(id),
    title,
    summary: [...triggers, description].join('\n'),
    body: steps.join('\n'),
  }));
  const found = [];
  if (rivals) {
    found.push(
      ['FTS5 bm25', await fullText(documents)],
      ['MiniSearch', miniSearch(documents)],
      ['Orama', await orama(documents)],
      ['vectors of the table alone', await nearestBy(protocols, embedStatic)],
    );
  }
  if (teacher !== undefined) {
    const texts = [
      ...protocols.flatMap(textsOf),
      ...Object.values(queries).flatMap((list) => list.map(({ query }) => query)),
    ];
    const vectors = embedByTeacher(teacher, [...new Set(texts)]);
    found.push([
      'teacher, vectors alone',
      await nearestBy(protocols, async (list) => list.map((text) => vectors.get(text))),
    ]);
  }
  return found;
}

function asked(query) {
  return words(query).filter((word) => !isStopWord(word));
}

async function fullText(documents) {
  const connection = (await loadSqliteDriver()).connect(':memory:', { readOnly: false });
  connection.exec(
    `CREATE VIRTUAL TABLE text USING fts5(title, summary, body, tokenize = 'porter unicode61 remove_diacritics 2')`,
  );
  const insert = connection.prepare('INSERT INTO text (rowid, title, summary, body) VALUES (?, ?, ?, ?)');
  for (const { id, title, summary, body } of documents) insert.run(Number(id) + 1, title, summary, body);
  const sql = `SELECT rowid FROM text WHERE text MATCH ? ORDER BY bm25(text, 8, 3, 1), rowid LIMIT ${HITS}`;
  return async (query) => {
    const terms = asked(query);
    if (terms.length === 0) return [];
    const rows = connection.prepare(sql).all(terms.map((term) => `"${term}"`).join(' OR '));
    return rows.map(({ rowid }) => ({ title: documents[Number(rowid) - 1].title }));
  };
}

function miniSearch(documents) {
  const index = new MiniSearch({ fields: Object.keys(BOOST), storeFields: ['title'] });
  index.addAll(documents);
  const options = { boost: BOOST, prefix: true, fuzzy: 0.2 };
  return async (query) => index.search(asked(query).join(' '), options).slice(0, HITS);
}

async function orama(documents) {
  const index = create({
    schema: { title: 'string', summary: 'string', body: 'string' },
    components: { tokenizer: { stemming: false } },
  });
  await insertMultiple(index, documents);
  return async (query) => {
    const term = asked(query).join(' ');
    if (term === '') return [];
    const { hits } = await searchOrama(index, { term, boost: BOOST, threshold: 1, limit: HITS });
    return hits.map(({ document: { title } }) => ({ title }));
  };
}

/** Each title, title with description and trigger; the nearest one counts. */
function textsOf({ title, triggers, description }) {
  return [title, `${title}. ${description}`, ...triggers];
}

async function nearestBy(protocols, embed) {
  const documents = [];
  for (const protocol of protocols) {
    documents.push({ title: protocol.title, vectors: (await embed(textsOf(protocol))).map(unit) });
  }
  return async (query) => {
    const [vector] = (await embed([query])).map(unit);
    return documents
      .map(({ title, vectors }) => ({ title, score: Math.max(...vectors.map((each) => dot(each, vector))) }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, HITS);
  };
}

function dot(left, right) {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at] * right[at];
  return sum;
}

const table = staticEmbedder();
const embedStatic = (texts) => table.embed(texts, 'document');

/** Vectors by text, from scripts/static-vectors/teacher.py. */
function embedByTeacher(folder, texts) {
  const script = fileURLToPath(new URL('../../scripts/static-vectors/teacher.py', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.env.PYTHON ?? 'python3', [script, folder], {
    input: texts.map((text) => text.replace(/\s+/g, ' ')).join('\n'),
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  const numbers = new Float32Array(new Uint8Array(stdout).buffer);
  const size = numbers.length / texts.length;
  return new Map(texts.map((text, at) => [text, numbers.subarray(at * size, (at + 1) * size)]));
}
