import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddingServer, startEmbeddingServer } from '../search/embedding/embedding-server.ts';
import { type CliHome, firstObject, kairos, kairosJson, launchKairos, makeHome } from '../support/cli.ts';

const KEY = 'sk-not-a-real-key-123456';
const doc = (title: string) => `# ${title}\n\n## One\n\nDo it.\n`;

let home: CliHome;
let server: EmbeddingServer;
beforeEach(async () => {
  home = makeHome();
  server = await startEmbeddingServer();
  for (const title of ['Listen', 'Water the garden']) {
    await kairos(home, ['mint', '-'], { stdin: doc(title) });
  }
});
afterEach(async () => {
  home.remove();
  await server.close();
});

const configure = async () => {
  const settings = {
    embedding_provider: 'openai-compatible',
    embedding_model: 'letters',
    embedding_url: server.url,
    embedding_api_key: KEY,
  };
  for (const [key, value] of Object.entries(settings)) {
    expect(await kairos(home, ['config', 'set', key, value])).toMatchObject({ code: 0 });
  }
};
const titles = async (query: string) => {
  const result = await kairosJson(home, ['search', query]);
  const { choices, message } = firstObject<{
    message: string;
    choices: { chain_label: string; role: string }[];
  }>(result);
  return {
    message,
    found: choices.flatMap(({ role, chain_label }) => (role === 'match' ? [chain_label] : [])),
  };
};
const searchFindings = async () => {
  const { findings } = firstObject<{ findings: { name: string; health: string; detail: string }[] }>(
    await kairosJson(home, ['doctor']),
  );
  return findings
    .filter(({ name }) => name === 'search' || name === 'embedding')
    .map(({ name, health, detail }) => `${name} ${health}: ${detail}`);
};

describe('kairos index', () => {
  it('lets search find what no word finds, until the vectors are given up', async () => {
    await kairos(home, ['index', '--drop']);
    await configure();
    expect((await titles('silent')).found).toEqual([]);
    const indexed = await kairosJson(home, ['index']);
    expect(indexed.code).toBe(0);
    expect(firstObject(indexed)).toEqual({
      model: 'openai-compatible:letters#2',
      done: 2,
      total: 2,
      indexed: 2,
      failed: [],
      in_use: 'openai-compatible:letters#2',
      dropped: [],
    });
    // The same letters in another order: to this model it is the same word.
    expect((await titles('silent')).found).toEqual(['Listen']);
    expect(server.asked.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
    const again = await kairos(home, ['index']);
    expect(again.stdout).toBe('2 of 2 protocols indexed with openai-compatible:letters#2.\n');
    expect(await kairos(home, ['index', '--drop'])).toMatchObject({
      code: 0,
      stdout: 'Deleted openai-compatible:letters#2.\n',
    });
    expect((await titles('silent')).found).toEqual([]);
  });

  it('searches by words and reports it while the provider is down', async () => {
    await configure();
    await kairos(home, ['index']);
    await server.close();
    const { message, found } = await titles('water gardens');
    expect(found).toEqual(['Water the garden']);
    expect(message).toBe(
      'One protocol matches. Searched by words only: the embedding provider did not respond.',
    );
    const failed = await kairosJson(home, ['index']);
    expect(failed.code).toBe(0);
    await kairos(home, ['mint', '-'], { stdin: doc('Something new') });
    const down = await kairos(home, ['index']);
    expect(down).toMatchObject({ code: 1, stdout: '' });
    expect(down.stderr).toMatch(
      /^error: the embedding provider openai-compatible:letters cannot be understood or reached/,
    );
    expect(down.stderr).not.toContain(KEY);
  });

  it('keeps the key to itself', async () => {
    await configure();
    expect(statSync(join(home.config, 'kairos.config.yaml')).mode & 0o077).toBe(0);
    expect(readFileSync(join(home.config, 'kairos.config.yaml'), 'utf8')).toContain(KEY);
    const shown = await kairos(home, ['config']);
    expect(shown.stdout).toMatch(/embedding_api_key +\*\*\* /);
    expect(shown.stdout).not.toContain(KEY);
  });

  it('lists the choices', async () => {
    await kairos(home, ['config', 'set', 'embedding_provider', 'none']);
    const none = await kairos(home, ['index']);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('embedding_provider is none');
    const wrong = await kairos(home, ['config', 'set', 'embedding_provider', 'pigeon']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('static, none, openai-compatible, transformers, energetic');
    const variable = await kairos(home, ['list'], { env: { KAIROS_EMBEDDING_PROVIDER: 'pigeon' } });
    expect(variable).toMatchObject({ code: 2 });
  });

  it('reads no configuration from a project', async () => {
    writeFileSync(join(home.work, 'kairos.config.yaml'), 'embedding_provider: none\n');
    expect(await kairos(home, ['index'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('static:'),
    });
  });

  it('continues with --watch until it is ended', async () => {
    await configure();
    const call = await launchKairos(home, ['index', '--watch', '--json']);
    expect(JSON.parse(await call.said('\n'))).toMatchObject({
      indexed: 2,
      in_use: 'openai-compatible:letters#2',
    });
    call.signal('SIGINT');
    expect(await call.exit).toMatchObject({ code: 0, signal: null });
  });

  it('is done by kairos serve in the background', async () => {
    await configure();
    const call = await launchKairos(home, ['serve', '--log-level', 'info']);
    expect(JSON.parse(await call.said('\n', 'stderr'))).toMatchObject({
      event: 'search.indexed',
      indexed: 2,
      total: 2,
    });
    call.stdin.end();
    expect(await call.exit).toMatchObject({ code: 0, signal: null });
    expect((await titles('silent')).found).toEqual(['Listen']);
  });
});

describe('kairos doctor on search', () => {
  it('reports what search uses, and whether the provider responds', async () => {
    const words = 'titles, slugs and triggers first, then words (BM25)';
    const here = 'static:minilm-pieces-2';
    expect(await searchFindings()).toEqual([
      `search ok: ${words}, and meaning by ${here}#2: 2 of 2 protocols indexed`,
      `embedding ok: ${here} answers, 256 dimensions, in use`,
    ]);
    await kairos(home, ['config', 'set', 'embedding_provider', 'none']);
    expect(await searchFindings()).toEqual([`search ok: ${words}; no embedding provider`]);
    await kairos(home, ['config', 'unset', 'embedding_provider']);
    await kairos(home, ['index', '--drop']);
    await configure();
    expect((await searchFindings())[0]).toBe(`search warning: ${words}; no vectors yet`);
    await kairos(home, ['index']);
    const model = 'openai-compatible:letters';
    expect(await searchFindings()).toEqual([
      `search ok: ${words}, and meaning by ${model}#2: 2 of 2 protocols indexed`,
      `embedding ok: ${model} answers, 26 dimensions, in use`,
    ]);
    await kairos(home, ['mint', '-'], { stdin: doc('Something new') });
    expect((await searchFindings())[0]).toMatch(/^search warning: .*2 of 3 protocols indexed$/);
    await server.close();
    expect((await searchFindings())[1]).toMatch(/^embedding warning: the embedding provider .* reached at /);
  });

  it('reports how to install a missing provider', async () => {
    const result = await kairos(home, ['index'], { env: { KAIROS_EMBEDDING_PROVIDER: 'transformers' } });
    if (result.code === 0) return;
    expect(result.stderr).toMatch(/(?:needs|cannot load) the package @huggingface\/transformers/);
    expect(result.stderr).toContain('npm install @huggingface/transformers');
  });
});
