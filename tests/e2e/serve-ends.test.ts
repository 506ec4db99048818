import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overStdio, startHttp, structured } from '../mcp/support.ts';
import { type CliHome, kairos, launchKairos, makeHome, SPAWNS, startKairos } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

let home: CliHome;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'walk.md'), protocolOf(['none', 'comment'], 'Walk about'));
  expect(await kairos(home, ['mint', 'walk.md'], { prepares: true })).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const HANDSHAKE =
  line({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }) + line({ method: 'notifications/initialized' });
const BEGIN = line({
  id: 2,
  method: 'tools/call',
  params: { name: 'kairos_begin', arguments: { key: 'walk-about' } },
});
const messages = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));

describe('serve over stdio ends', () => {
  it('with 0 when its input does, after answering what was asked', async () => {
    const done = await kairos(home, ['serve'], { stdin: HANDSHAKE + BEGIN });
    expect(done).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(messages(done.stdout)).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'kairos' } } },
      { id: 2, result: { structuredContent: { must_obey: true } } },
    ]);
    expect(await kairos(home, ['serve'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await kairos(home, ['serve'], { stdin: 'closed' })).toMatchObject({ code: 0, stdout: '' });
  });

  it('after answering batches in the revision that has them, each in one line', async () => {
    const open = HANDSHAKE.replace('2025-06-18', '2025-03-26');
    const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const note = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1 },
    };
    const batches = [
      [JSON.parse(BEGIN), ping('a'), note],
      [note],
      [],
      [ping(7), 'no message', { jsonrpc: '2.0', id: 8 }],
      [ping(9), ping(9)],
    ];
    const stdin = open + batches.map((batch) => `${JSON.stringify(batch)}\n`).join('') + line(ping(10));
    const { code, stdout } = await kairos(home, ['serve'], { stdin });
    expect(code).toBe(0);
    const ids = (answer: { id: unknown }[] | { id: unknown }) =>
      Array.isArray(answer) ? answer.map(({ id }) => String(id)).toSorted() : answer.id;
    const answers = messages(stdout);
    expect(answers.map(ids)).toEqual(
      expect.arrayContaining([1, ['2', 'a'], null, ['7', '8', 'null'], null, 10]),
    );
    expect(answers).toHaveLength(6);
    const refused = await kairos(home, ['serve'], { stdin: `${HANDSHAKE}${JSON.stringify([ping(2)])}\n` });
    expect(messages(refused.stdout)[0].error ?? messages(refused.stdout)[1].error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('batches are part of revision 2025-03-26'),
    });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('with 0 on %s', async (signal) => {
    const call = await launchKairos(home, ['serve']);
    call.stdin.write(HANDSHAKE);
    await call.said('\n');
    call.signal(signal);
    expect(await call.exit).toMatchObject({ code: 0, signal: null });
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('with 0 on a %s that comes twice', async (signal) => {
    const call = await launchKairos(home, ['serve']);
    call.stdin.write(HANDSHAKE);
    await call.said('\n');
    call.signal(signal);
    call.signal(signal);
    expect(await call.exit).toMatchObject({ code: 0, signal: null });
  });

  it.runIf(SPAWNS)('with 0 when its output is closed', async () => {
    const child = startKairos(home, ['serve']);
    child.stdin!.on('error', () => undefined);
    child.stdin!.write(HANDSHAKE);
    await once(child.stdout!, 'data');
    child.stdout!.destroy();
    const ended = once(child, 'exit');
    // The first write after the pipe broke finds out.
    child.stdin!.write(BEGIN);
    child.stdin!.write(BEGIN);
    expect(await ended).toEqual([0, null]);
  });

  it.runIf(SPAWNS).each([
    ['its input ends', (child: ChildProcess) => child.stdin!.end()],
    ['SIGTERM comes', (child: ChildProcess) => child.kill('SIGTERM')],
  ])('with 0 when %s, while its output is not read', async (_, end) => {
    const child = startKairos(home, ['serve']);
    child.stdin!.write(HANDSHAKE);
    await once(child.stdout!, 'data');
    child.stdout!.pause();
    // Each answer is a third of what a pipe holds.
    for (let id = 10; id < 30; id += 1) child.stdin!.write(line({ id, method: 'tools/list' }));
    child.stdin!.write(BEGIN);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const ended = once(child, 'exit');
    end(child);
    expect(await ended).toEqual([0, null]);
  });

  it('not for an id that is in use: the second request is refused, the first is answered', async () => {
    const twice = line({
      id: 5,
      method: 'tools/call',
      params: { name: 'kairos_spaces', arguments: {} },
    }).repeat(2);
    const done = await kairos(home, ['serve'], { stdin: HANDSHAKE + twice });
    expect(done).toMatchObject({ code: 0 });
    const answered = messages(done.stdout).filter(({ id }) => id !== 1);
    expect(answered).toHaveLength(2);
    expect(answered).toContainEqual(expect.objectContaining({ id: 5, result: expect.anything() }));
    expect(answered).toContainEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: expect.stringMatching(/id is that of a request/) },
    });
  });

  it('not for broken messages: they are rejected and logged, and the server continues', async () => {
    const noise = [
      '{"jsonrpc": ',
      'not json',
      '[{"jsonrpc":"2.0","id":8,"method":"ping"}]',
      '{"jsonrpc":"2.0","id":9}',
      '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":[1]}',
      '{"id":10,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      `{"jsonrpc":"2.0","id":11,"method":"ping","params":{"_meta":{"x":"${'x'.repeat(11 << 20)}"}}}`,
      '\u0000',
    ].join('\n');
    const done = await kairos(home, ['serve'], { stdin: `${noise}\n${HANDSHAKE}${noise}\n${BEGIN}` });
    expect(done).toMatchObject({ code: 0 });
    const answered = messages(done.stdout);
    expect(answered).toContainEqual(expect.objectContaining({ id: 2, result: expect.anything() }));
    const refused = answered.filter(({ error }) => error !== undefined);
    const once = [
      [null, -32700],
      [null, -32700],
      [null, -32600],
      [9, -32600],
      ['a', -32600],
      [10, -32600],
      [null, -32600],
      [null, -32600],
      [null, -32700],
    ];
    expect(refused.map(({ id, error }) => [id, error.code])).toEqual([...once, ...once]);
    const parseError = { code: -32700, message: 'this line is not JSON: send one message a line' };
    for (const answer of refused.filter(({ error }) => error.code === -32700))
      expect(answer).toEqual({ jsonrpc: '2.0', id: null, error: parseError });
    const logged = messages(done.stderr);
    expect(logged).toHaveLength(2 * once.length);
    for (const entry of logged) {
      expect(entry).toMatchObject({ level: 'warn', event: 'message refused', at: expect.any(String) });
    }
  });

  it('with an error before the first message when the store is not available', async () => {
    writeFileSync(
      join(home.work, 'no-store'),
      'this is no database, and long enough to be looked at as one'.repeat(20),
    );
    const done = await kairos(home, ['serve', '--store', 'no-store'], { stdin: HANDSHAKE });
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('error') });
  });
});

describe('serve over HTTP ends', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('with 0 on %s, sessions or not', async (signal) => {
    const server = await startHttp(home);
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: HANDSHAKE.split('\n')[0]!,
    });
    expect(answer.status).toBe(200);
    const session = answer.headers.get('mcp-session-id')!;
    // A stream that waits for news does not hold the server.
    const stream = await fetch(server.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    });
    expect(stream.status).toBe(200);
    server.signal(signal);
    expect(await server.stop()).toBe(0);
    await stream.text().catch(() => undefined);
    const events = messages(server.stderr()).map(({ event }) => event);
    expect(events.filter((event) => event !== 'search.indexed')).toEqual([
      'listening',
      'session opened',
      'closed',
    ]);
  });
});

describe('a server with restrictions', () => {
  it('--read-only hides what stores, and refuses it by name', async () => {
    const client = await overStdio('sdk-2', home, ['--read-only']);
    const { tools } = await (
      client.client as { listTools(): Promise<{ tools: { name: string }[] }> }
    ).listTools();
    expect(tools.map(({ name }) => name)).not.toContain('kairos_mint');
    await expect(client.call('kairos_mint', { markdown_doc: '# X\n\n## Y\n' })).rejects.toThrow(
      /Unknown tool/,
    );
    expect(structured(await client.call('kairos_begin', { key: 'walk-about' }))).toMatchObject({
      must_obey: true,
    });
    await client.close();
  });

  it('--require-trust begins nothing that is not trusted here', async () => {
    const client = await overStdio('sdk-2', home, ['--require-trust']);
    expect(await client.call('kairos_begin', { key: 'walk-about' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^UNTRUSTED: /) }],
    });
    await client.close();
  });

  it('loosens a proof only with --allow-weaken', async () => {
    const strict = protocolOf(['shell'], 'Strict');
    const loose = protocolOf(['none'], 'Strict');
    for (const args of [[], ['--allow-weaken']]) {
      const client = await overStdio('sdk-2', home, args);
      await client.call('kairos_mint', { markdown_doc: strict, force_update: true });
      const outcome = await client.call('kairos_mint', { markdown_doc: loose, force_update: true });
      if (args.length === 0) {
        expect(outcome).toMatchObject({
          isError: true,
          content: [{ text: expect.stringMatching(/^READ_ONLY: /) }],
        });
        expect(outcome).not.toHaveProperty('structuredContent');
      } else expect(structured(outcome)).toMatchObject({ status: 'stored' });
      await client.close();
    }
  });

  it('over HTTP has one space, without other spaces, their runs and their protocols', async () => {
    writeFileSync(join(home.work, 'secret.md'), protocolOf(['none'], 'Secret walk'));
    await kairos(home, ['mint', '--space', 'other', 'secret.md'], { prepares: true });
    const begun = await kairos(home, ['begin', 'secret-walk', '--space', 'other', '--json']);
    const { run_id, current_step } = JSON.parse(begun.stdout);
    const server = await startHttp(home);
    const post = async (name: string, args: object) => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      };
      const answer = await fetch(server.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args, _meta: meta },
        }),
      });
      return ((await answer.json()) as { result: { content: { text: string }[] } }).result;
    };
    const text = (result: { content: { text: string }[] }) => result.content[0]!.text;
    expect(
      JSON.parse(text(await post('kairos_spaces', {}))).spaces.map(({ name }: { name: string }) => name),
    ).toEqual(['default']);
    expect(
      JSON.parse(text(await post('kairos_search', { query: 'Secret walk', space: 'other' }))),
    ).toMatchObject({ protocol_status: 'no_protocol' });
    expect(text(await post('kairos_dump', { uri: current_step.uri, protocol: true }))).toMatch(
      /^NOT_FOUND: /,
    );
    expect(text(await post('kairos_next', { uri: current_step.uri, run_id }))).toMatch(/^NOT_FOUND: /);
    expect(
      text(await post('kairos_mint', { markdown_doc: '# New\n\n## One\n\nDo.\n', space: 'other' })),
    ).toMatch(/^READ_ONLY: /);
    expect(await server.stop()).toBe(0);
  });
});
