// The corpus of the search benchmark: protocols and queries, written for it, as contents for a store.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Protocols as written: a line with the title and the triggers, one with the description, one with the steps. */
export function readProtocols() {
  return texts('protocols').flatMap(([domain, text]) =>
    text
      .split(/\n{2,}/)
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [head = '', description = '', steps = ''] = part.trim().split('\n');
        const [title = '', triggers = ''] = head.split(/ \|(?: |$)/);
        return {
          title: title.trim(),
          domain,
          triggers: triggers
            .split(';')
            .map((phrase) => phrase.trim())
            .filter((phrase) => phrase !== ''),
          description: description.trim(),
          steps: steps.split(';').map((label) => label.trim()),
        };
      }),
  );
}

/** The content of a protocol, given the slug that the product derives from its title. */
export function toContent({ title, domain, triggers, description, steps }, slug) {
  return {
    slug,
    title,
    version: null,
    tags: domain === '' ? [] : [domain],
    description,
    triggers: triggers.map((phrase) => `- "${phrase}"`).join('\n'),
    completion_rule: null,
    steps: steps.map((label, at) => ({ label, body: `${label}. Say how it went (${at + 1}).`, block: null })),
  };
}

/** The project's own set. */
export function ownSet() {
  return { protocols: readProtocols(), queries: readQueries() };
}

/** The classes of a set in JSON whose names differ from the project's own. */
const CLASSES = { paraphrases: 'paraphrase', agentRequests: 'agent-long', agentShort: 'agent-short' };

/**
 * A set in a JSON file: `documents` (id, title, description, triggers) and lists of queries, each with the `id` of a document, or
 * with a `title` and perhaps a `description`, or with neither when nothing may be found (then `kind` names the class).
 * Each title is a lexical query as well, and `phrasings` of a query are one of the class `phrasings`.
 */
export function readSet(file) {
  const { documents, ...lists } = JSON.parse(readFileSync(file, 'utf8'));
  const protocols = documents.map((each) => ({ domain: '', steps: ['Begin'], ...each }));
  const titles = new Map(documents.map(({ id, title }) => [id, title]));
  const queries = { lexical: documents.map(({ title }) => ({ query: title, title })) };
  for (const [name, list] of Object.entries(lists)) {
    for (const { query, id, title = titles.get(id) ?? null, kind, description = '', phrasings } of list) {
      const known = protocols.some((each) => each.title === title);
      if (title !== null && !known)
        protocols.push({ title, domain: '', triggers: [], description, steps: ['Begin'] });
      const className = title === null ? kind : (CLASSES[name] ?? name);
      queries[className] = [...(queries[className] ?? []), { query, title }];
      if (phrasings !== undefined)
        queries.phrasings = [...(queries.phrasings ?? []), { query: phrasings, title }];
    }
  }
  return { protocols, queries };
}

/** Queries by class; `title` is the protocol that is meant, null when nothing may be found. */
export function readQueries() {
  return Object.fromEntries(
    texts('queries').map(([name, text]) => [
      name,
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [query = '', title] = line.split(' => ');
          return { query, title: title ?? null };
        }),
    ]),
  );
}

function texts(kind) {
  const folder = join(FOLDER, kind);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => [name.replace('.txt', ''), readFileSync(join(folder, name), 'utf8')]);
}
