import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { withReserved } from '../../src/store/open.ts';
import { openQdrantStore } from '../../src/store/qdrant/store.ts';
import { type HttpServer, overHttp, overStdio, startHttp, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { cliTools } from '../support/cli-tools.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf, sequences, stepOf, WALKS } from '../support/protocols.ts';
import { type QdrantDouble, startDouble } from '../support/qdrant-double/server.ts';
import { answersFile, protocolFile } from '../support/run.ts';
import { rightAnswer, walkLiterally, wrongAnswer } from '../support/walker.ts';

const KEY = 'e2e-key-31f0';

/** The real binary over the double. */
let double: QdrantDouble;
let home: CliHome;
beforeAll(async () => {
  double = await startDouble({ apiKey: KEY });
  home = makeHome();
  Object.assign(home.env, { QDRANT_URL: `http://127.0.0.1:${double.port}/e2e`, QDRANT_API_KEY: KEY });
});
afterAll(async () => {
  home.remove();
  expect(double.violations).toEqual([]);
  await double.close();
});

describe('every command of the store', () => {
  const uriOf = async (slug: string) => {
    const { objects } = await kairosJson(home, ['search', slug]);
    return String((objects[0]?.start_here ?? '') as string);
  };

  it('mints, finds, shows, updates, dumps and deletes', async () => {
    writeFileSync(join(home.work, 'ferns.md'), protocolOf(['shell', 'comment'], 'Water the ferns'));
    const minted = await kairosJson(home, ['mint', 'ferns.md']);
    expect(minted).toMatchObject({ code: 0, stderr: '', objects: [{ status: 'stored' }] });
    expect(await kairosJson(home, ['mint', 'ferns.md'])).toMatchObject({ code: 0 });
    writeFileSync(
      join(home.work, 'ferns.md'),
      protocolOf(['shell', 'comment', 'comment'], 'Water the ferns'),
    );
    const again = await kairosJson(home, ['mint', 'ferns.md']);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: 'DUPLICATE_CHAIN' } });
    expect(await kairosJson(home, ['mint', 'ferns.md', '--force'])).toMatchObject({ code: 0 });

    const uri = await uriOf('water the ferns');
    expect(uri).toMatch(/^kairos:\/\/mem\//);
    expect((await kairos(home, ['list'])).stdout).toContain('water-the-ferns');
    expect((await kairos(home, ['show', 'water-the-ferns'])).stdout).toContain('Water the ferns');
    const dumped = await kairos(home, ['dump', uri, '--protocol']);
    expect(dumped).toMatchObject({ code: 0, stdout: expect.stringContaining('# Water the ferns') });
    expect(await kairosJson(home, ['delete', uri])).toMatchObject({
      code: 0,
      objects: [{ total_deleted: 1 }],
    });
    expect((await kairos(home, ['list'])).stdout).not.toContain('water-the-ferns');
  });

  it('runs a file, and its record is shown, exported and verified', async () => {
    const address = ['--store', double.address('run')];
    const { path, digest } = await protocolFile(
      home,
      `# Say hello\n\n${stepOf('Say it', 'Aloud.', { proof_of_work: { type: 'shell', shell: { cmd: 'echo hello' } } })}`,
    );
    const answers = answersFile(home, { closing: 'It said hello, and nothing else came of it.' });
    const run = await kairos(home, ['run', path, '--trust', digest, '--answers', answers, ...address]);
    expect(run).toMatchObject({ code: 0 });
    const { objects } = await kairosJson(home, ['runs', ...address]);
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(JSON.stringify(objects))?.[0] ?? '';
    expect(await kairos(home, ['verify', id, ...address])).toMatchObject({ code: 0 });
    expect((await kairos(home, ['runs', 'show', id, '--entries', ...address])).stdout).toContain('hello');
    const exported = await kairos(home, ['runs', 'export', id, '--out', 'hello.jsonl', ...address]);
    expect(exported.code).toBe(0);
    expect(await kairos(home, ['verify', 'hello.jsonl'])).toMatchObject({ code: 0 });
  });

  it('is found well by doctor, and its key is shown nowhere', async () => {
    const { code, stdout } = await kairos(home, ['doctor']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/qdrant.* answers/) });
    const config = await kairos(home, ['config']);
    expect(`${stdout}${config.stdout}${config.stderr}`).not.toContain(KEY);
  });

  it('reports that the server is down, or does not let kairos in, and never that there is nothing', async () => {
    const envs: NodeJS.ProcessEnv[] = [{ QDRANT_URL: 'http://127.0.0.1:1/e2e' }, { QDRANT_API_KEY: 'wrong' }];
    for (const env of envs) {
      for (const args of [['list'], ['search', 'ferns'], ['begin', 'water-the-ferns'], ['runs']]) {
        const { code, stdout, stderr } = await kairosJson(home, args, { env });
        expect([args, code, stdout]).toEqual([args, 1, '']);
        expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } });
      }
    }
  });
});

describe('the literal agent', () => {
  it('ends well through the command line, naming steps either way', async () => {
    writeFileSync(join(home.work, 'report.txt'), 'All parts are done.');
    const runs: string[] = [];
    for (const [at, [kinds, wrong]] of WALKS.entries()) {
      writeFileSync(join(home.work, `w${at}.md`), protocolOf(kinds));
      const minted = firstObject<{ items: { uri: string }[] }>(
        await kairosJson(home, ['mint', `w${at}.md`, '--force'], { prepares: true }),
      );
      // One start costs the real program half a second here: some walks are enough to try it.
      const tools = cliTools(home, { prepares: at % 4 !== 3 });
      const { answers } = await walkLiterally(tools, minted.items[0]?.uri ?? '', {
        convention: at % 2 === 0 ? 'as-told' : 'pending',
        solve: (challenge, call) => (call === wrong ? wrongAnswer(challenge) : rightAnswer(challenge, call)),
      });
      expect(answers.at(-1)).toMatchObject({ next_action: null, results: [{ outcome: 'success' }] });
      runs.push(answers[0]?.run_id ?? '');
    }
    expect(await kairos(home, ['verify', ...runs])).toMatchObject({ code: 0 });
  });

  it('finishes every sequence of two steps through the operations', async () => {
    const store = withReserved(await openQdrantStore(double.address('walks'), { apiKey: KEY }));
    const ctx = await makeContext({ store });
    for (const convention of ['as-told', 'pending'] as const) {
      for (const kinds of sequences(2)) {
        const { items } = await mint(ctx, { markdown_doc: protocolOf(kinds), force_update: true });
        const { answers } = await walkLiterally(
          {
            begin: (input) => begin(ctx, input) as never,
            next: (input) => next(ctx, input as never),
            attest: (input) => attest(ctx, input as never),
          },
          items[0]?.uri ?? '',
          { convention, solve: rightAnswer },
        );
        const last = answers.at(-1);
        expect([kinds, last?.protocol_status, last?.next_action]).toEqual([kinds, 'completed', null]);
      }
    }
    await store.close();
  });
});

describe('two servers on one Qdrant', () => {
  let servers: HttpServer[];
  let clients: TestClient[];
  beforeAll(async () => {
    servers = [
      await startHttp(home, ['--log-level', 'error']),
      await startHttp(home, ['--log-level', 'error']),
    ];
    clients = await Promise.all(servers.map(({ url }) => overHttp('sdk-2', url)));
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    for (const server of servers) expect(await server.stop()).toBe(0);
  });

  it('alternate in one run', async () => {
    const [one, other] = clients as [TestClient, TestClient];
    const minted = await one.call('kairos_mint', {
      markdown_doc: protocolOf(['shell', 'user_input', 'comment', 'mcp'], 'Taken in turns'),
    });
    const { items } = minted.structuredContent as { items: { uri: string }[] };
    let calls = 0;
    const turn = () => {
      calls += 1;
      return toolsOf(calls % 2 === 0 ? one : other);
    };
    const { answers } = await walkLiterally(
      {
        begin: (input) => turn().begin(input),
        next: (input) => turn().next(input),
        attest: (input) => turn().attest(input),
      },
      items[0]?.uri ?? '',
      { convention: 'as-told', solve: rightAnswer },
    );
    expect(answers.at(-1)).toMatchObject({ next_action: null, protocol_status: 'completed' });
    expect(await kairos(home, ['verify', answers[0]?.run_id ?? ''])).toMatchObject({ code: 0 });
  });

  it('accept one solution once, when it comes to both at the same time', async () => {
    const [one, other] = clients as [TestClient, TestClient];
    const minted = await one.call('kairos_mint', {
      markdown_doc: protocolOf(['shell', 'shell'], 'Raced for'),
    });
    const { items } = minted.structuredContent as { items: { uri: string }[] };
    for (let race = 0; race < 5; race += 1) {
      const begun = await toolsOf(one).begin({ uri: items[0]?.uri ?? '' });
      const challenge = begun.challenge!;
      const solution = {
        nonce: challenge.nonce,
        proof_hash: challenge.proof_hash,
        ...rightAnswer(challenge, 0),
      };
      const input = { uri: items[1]?.uri ?? '', solution, run_id: begun.run_id ?? '' };
      const answers = await Promise.all([toolsOf(one).next(input), toolsOf(other).next(input)]);
      for (const answer of answers) expect(answer.current_step?.uri).toBe(items[1]?.uri);
      const shown = await kairosJson(home, ['runs', 'export', begun.run_id ?? '']);
      const kinds = shown.objects.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'proof.accepted')).toHaveLength(1);
    }
  });

  it('answer every tool, and search alike', async () => {
    const [one, other] = clients as [TestClient, TestClient];
    const searched = await Promise.all(
      clients.map((client) => client.call('kairos_search', { query: 'taken in turns' })),
    );
    expect(searched[0]?.structuredContent).toEqual(searched[1]?.structuredContent);
    const uri = String(searched[0]?.structuredContent?.start_here);
    const spaces = await other.call('kairos_spaces', { include_chain_titles: true });
    expect(JSON.stringify(spaces.structuredContent)).toContain('Taken in turns');
    const updated = await one.call('kairos_update', { uris: [uri], updates: { tags: ['shared'] } });
    expect(updated.structuredContent).toMatchObject({ total_updated: 1 });
    const dumped = await other.call('kairos_dump', { uri, protocol: true });
    expect(dumped.structuredContent?.markdown_doc).toContain('shared');
    expect((await other.call('kairos_delete', { uris: [uri] })).structuredContent).toMatchObject({
      total_deleted: 1,
    });
    expect(await one.call('kairos_begin', { uri })).toMatchObject({ isError: true });
  });

  it('report that Qdrant is down, and continue when it is back', async () => {
    const client = await overStdio('sdk-1', home);
    try {
      double.fault = () => ({ kind: 'status', status: 401, body: 'no' });
      const answer = await client.call('kairos_search', { query: 'anything' });
      expect(answer).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^STORE_UNAVAILABLE/) }],
      });
    } finally {
      double.fault = () => null;
    }
    expect(await client.call('kairos_search', { query: 'raced for' })).toMatchObject({
      structuredContent: { protocol_status: 'match' },
    });
    await client.close();
  });
});
