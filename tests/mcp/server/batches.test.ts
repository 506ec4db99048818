import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineTransport } from '../../../src/mcp/server/stdio.ts';

const rpc = (method: string, id?: unknown, params: object = {}) => ({
  jsonrpc: '2.0' as const,
  ...(id === undefined ? {} : { id }),
  method,
  params,
});

/** A transport whose client has opened with this revision; `seen` has what a server would get. */
async function open(protocolVersion: string) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const transport = new LineTransport(stdin, stdout, { refused: () => {}, settled: async () => {} });
  const seen: { id?: unknown; method?: unknown }[] = [];
  transport.onmessage = (message) => void seen.push(message);
  await transport.start();
  const written = () =>
    String(stdout.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text) as unknown);
  const send = async (message: object) => {
    stdin.write(`${JSON.stringify(message)}\n`);
    await new Promise(setImmediate);
  };
  await send(rpc('initialize', 0, { protocolVersion }));
  const reply = (id: unknown) => transport.send({ jsonrpc: '2.0', id: id as string, result: {} });
  return { send, seen, reply, written };
}

describe('a batch over stdio', () => {
  it('is answered in one line when every reply is there, in their order; other replies do not wait', async () => {
    const { send, seen, reply, written } = await open('2025-03-26');
    await send([rpc('ping', 1), rpc('ping', 'two')]);
    await send(rpc('ping', 3));
    expect(seen.map(({ id }) => id)).toEqual([0, 1, 'two', 3]);
    await reply('two');
    await reply(3);
    expect(written()).toEqual([{ jsonrpc: '2.0', id: 3, result: {} }]);
    await reply(1);
    expect(written()).toEqual([
      [
        { jsonrpc: '2.0', id: 'two', result: {} },
        { jsonrpc: '2.0', id: 1, result: {} },
      ],
    ]);
  });

  it('does not wait for a request that is cancelled', async () => {
    const { send, reply, written } = await open('2025-03-26');
    await send([rpc('ping', 1), rpc('ping', 2)]);
    await reply(1);
    await send(rpc('notifications/cancelled', undefined, { requestId: 2 }));
    expect(written()).toEqual([[{ jsonrpc: '2.0', id: 1, result: {} }]]);
    await send([rpc('ping', 4)]);
    await send(rpc('notifications/cancelled', undefined, { requestId: 4 }));
    expect(written()).toEqual([]);
  });

  it('is refused whole with an id that is in use, a key twice or too many levels', async () => {
    const { send, seen, written } = await open('2025-03-26');
    await send(rpc('ping', 1));
    await send([rpc('ping', 2), rpc('ping', 1)]);
    let deep: unknown = [];
    for (let level = 0; level < 2000; level += 1) deep = [deep];
    await send(deep as object);
    expect(seen.map(({ id }) => id)).toEqual([0, 1]);
    expect(written()).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is refused in revision %s', async (revision) => {
    const { send, seen, written } = await open(revision);
    await send([rpc('ping', 1)]);
    expect(seen).toHaveLength(1);
    expect(written()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });
});
