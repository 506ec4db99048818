import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServer, overHttp, startHttp, structured } from '../mcp/support.ts';
import { type CliHome, makeHome } from '../support/cli.ts';
import { THOROUGH } from '../support/thorough.ts';

const ADA = 'a-long-token-for-ada-0123';
const BOB = 'a-long-token-for-bob-4567';
const ROOM = 20;
/** Each of as many sessions as there is room for. */
const ROUNDS = THOROUGH ? 50 : 10;
let home: CliHome;
let server: HttpServer;
beforeAll(() => {
  home = makeHome();
  writeFileSync(join(home.work, 'tokens'), `ada:${ADA}\nbob:${BOB}\n`, { mode: 0o600 });
});
afterAll(() => home.remove());
beforeEach(async () => {
  server = await startHttp(home, ['--token-file', 'tokens', '--max-sessions', String(ROOM)]);
  return async () => expect(await server.stop()).toBe(0);
});

function send(token: string, method: string, params: object, session?: string): Promise<Response> {
  return fetch(server.url, {
    method: 'POST',
    headers: { ...headers(token, session), 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

function headers(token: string, session?: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
}

interface Opened {
  status: number;
  session: string;
  text: string;
}

async function open(token: string): Promise<Opened> {
  const clientInfo = { name: 'raw', version: '1' };
  const answer = await send(token, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo,
  });
  const text = await answer.text();
  return { status: answer.status, session: answer.headers.get('mcp-session-id') ?? '', text };
}

async function statusOf(token: string, session: string): Promise<number> {
  const answer = await send(token, 'tools/list', {}, session);
  await answer.text();
  return answer.status;
}

describe('a server without room for another session', () => {
  it('closes the oldest of a caller who opens many, and never those of another', async () => {
    const bob = await open(BOB);
    const ada: Opened[] = [];
    const later: Opened[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const opened = Array.from({ length: ROOM }, () => open(ADA));
      if (round % (ROUNDS / 5) === 1) later.push(await open(BOB));
      ada.push(...(await Promise.all(opened)));
    }
    expect(ada).toHaveLength(ROUNDS * ROOM);
    expect(later.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { session } of [bob, ...later]) expect(await statusOf(BOB, session)).toBe(200);
    // One of hers is refused only while all that she has are at work.
    expect(ada.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const hers = ada.filter(({ status }) => status === 200);
    expect(await statusOf(ADA, hers[0]!.session)).toBe(404);
    const newest = await open(ADA);
    expect(newest.status).toBe(200);
    expect(await statusOf(ADA, newest.session)).toBe(200);
    const metrics = await fetch(`${server.origin}/metrics`, { headers: headers(ADA) });
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await metrics.text()).toMatch(new RegExp(`^kairos_http_sessions ${ROOM}$`, 'm'));
  });

  it('refuses another one to a user who has all in use, and frees one of them for another user', async () => {
    const streams: Promise<number>[] = [];
    for (let at = 0; at < ROOM; at += 1) {
      const { session } = await open(ADA);
      const stream = await fetch(server.url, { headers: headers(ADA, session) });
      expect(stream.status).toBe(200);
      streams.push(stream.text().then(() => at));
    }
    const refused = await open(ADA);
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.text)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32000, message: expect.stringMatching(/at most 20/) },
      id: null,
    });
    // Those of the 2026 revision need no session.
    const modern = await overHttp('sdk-2', server.url, ADA);
    expect(structured(await modern.call('kairos_spaces', {}))).toMatchObject({ spaces: expect.any(Array) });
    await modern.close();
    expect((await open(BOB)).status).toBe(200);
    expect(await Promise.race(streams)).toBe(0);
  });
});
