import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BehindGateway, LostRequest } from '../../src/host/mcp-client/server-process.ts';
import { runGateway } from '../../src/mcp/gateway/gateway.ts';
import type { CallEnd } from '../../src/operations/gateway.ts';

interface Ended {
  tool: string;
  end: CallEnd;
  isLate: boolean;
}

/** A gateway between two streams. The tool `held` is refused; `demanded` is recorded. */
function open() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const toServer: Buffer[] = [];
  const toClient: Buffer[] = [];
  const ends: Ended[] = [];
  const judged: string[] = [];
  stdout.on('data', (chunk: Buffer) => toClient.push(chunk));
  let say: (line: Buffer) => void | Promise<void> = () => undefined;
  let lose: (lost: LostRequest) => void | Promise<void> = () => undefined;
  let finish = () => {};
  const server: BehindGateway = {
    send: (line) => void toServer.push(line),
    receive(onLine, onLost) {
      say = onLine;
      lose = onLost;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    close: async () => finish(),
  };
  const done = runGateway<string>({ stdin, stdout, stop: stop.signal }, server, {
    async before({ tool }) {
      judged.push(tool);
      await new Promise((resolve) => setImmediate(resolve));
      return { refusal: tool === 'held' ? 'no' : null, demanded: tool === 'demanded' ? tool : null };
    },
    async finish(tool, end, isLate) {
      ends.push({ tool, end, isLate });
    },
  });
  const linesOf = (chunks: readonly Buffer[]) =>
    Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean);
  return {
    ...{ stdin, stdout, stop, ends, judged, done },
    toServer: () => Buffer.concat(toServer),
    toClient: () => Buffer.concat(toClient),
    sent: () => linesOf(toServer).map((line) => JSON.parse(line)),
    answers: () => linesOf(toClient).map((line) => JSON.parse(line)),
    say: async (line: Buffer | string) => say(Buffer.from(line)),
    lose: async (lost: LostRequest) => lose(lost),
    /** Writes lines and waits until they are worked on. */
    async write(...lines: (Buffer | string)[]) {
      for (const line of lines) stdin.write(line);
      for (let turn = 0; turn < 20 + 5 * lines.length; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    },
    /** The client leaves. */
    async end() {
      stdin.end();
      await done;
    },
  };
}

const call = (name: string, id: unknown, more: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...more } })}\n`;

/** Bytes of a stream cut at any places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end));
}

describe('messages that are not held', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const value = fc.jsonValue({ maxDepth: 3 });
  const method = fc.constantFrom(
    ...[
      'initialize',
      'notifications/initialized',
      'notifications/progress',
      'notifications/cancelled',
      'ping',
    ],
    ...['sampling/createMessage', 'elicitation/create', 'roots/list', 'resources/read', 'resources/updated'],
    ...['tools/list', 'tools/call', 'server/discover', 'subscriptions/listen', 'tasks/result', 'x'],
  );
  const message = fc.oneof(
    fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), text),
      method,
      params: fc.record({ name: text, arguments: value, _meta: value }),
    }),
    fc.record({
      jsonrpc: fc.constant('2.0'),
      method: method.filter((each) => each !== 'tools/call'),
      params: value,
    }),
    fc.record({ jsonrpc: fc.constant('2.0'), id: fc.oneof(fc.integer(), text), result: value }),
    fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), text),
      error: fc.record({ code: fc.integer(), message: text }),
    }),
  );
  const line = fc
    .tuple(
      fc.oneof(message, fc.array(message, { minLength: 1, maxLength: 3 })),
      fc.constantFrom(0, 1),
      fc.constantFrom('\n', '\r\n'),
    )
    .map(([each, space, end]) => {
      const written = JSON.stringify(each, null, space);
      return `${space === 0 ? written : written.replace(/\n\s*/g, ' ')}${end}`;
    });

  it('pass byte for byte in both directions, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (lines, places) => {
          const gateway = open();
          const bytes = Buffer.from(lines.join(''));
          for (const each of lines) await gateway.say(each);
          for (const chunk of cut(bytes, places)) gateway.stdin.write(chunk);
          await gateway.end();
          expect(gateway.toServer().toString('latin1')).toBe(bytes.toString('latin1'));
          expect(gateway.toClient().toString('latin1')).toBe(bytes.toString('latin1'));
        },
      ),
    );
  });

  it('pass unchanged from a server that writes text, broken JSON or other bytes', async () => {
    const gateway = open();
    const bytes = Buffer.concat([
      Buffer.from('ready on stdio\n{"a":\n\n'),
      Buffer.from([0xff, 0xfe, 10, 0, 10]),
    ]);
    await gateway.say(bytes);
    await gateway.write(call('demanded', 1));
    await gateway.say(bytes);
    expect(gateway.toClient()).toEqual(Buffer.concat([bytes, bytes]));
    await gateway.end();
  });

  it('pass also when their last line has no end, and large ones in many pieces', async () => {
    const gateway = open();
    const large = Buffer.from(
      `${call('free', 1, { arguments: { text: 'ä\n'.repeat(3 << 20) } })}{"jsonrpc":"2.0","method":"x"}`,
    );
    for (let at = 0; at < large.length; at += 65_537) gateway.stdin.write(large.subarray(at, at + 65_537));
    await gateway.end();
    expect(gateway.toServer().equals(large)).toBe(true);
  });
});

describe('a call that only some servers would see', () => {
  const inner = call('held', 9).trim();
  it.each<[string, (string | Buffer)[]]>([
    [
      'between carriage returns in another message',
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[\r${inner}\r]}}\n`],
    ],
    [
      'whose method is on a line of its own',
      ['{"jsonrpc":"2.0","id":9,"params":{"name":"held"},"method":\n', '"tools/call"\n', '}\n'],
    ],
    [
      'whose name is on the next line',
      ['{"jsonrpc":"2.0","id":9,"method":"tools/call","params":\n', '{"name":"held"}}\n'],
    ],
    [
      'with bytes that are not UTF-8 in its method',
      [Buffer.from(`${inner.replace('tools/call', 'tools/\xffcall')}\n`, 'latin1')],
    ],
    [
      'behind the length of a message',
      [`Content-Length: ${inner.length}\r\n\r\n${inner}Content-Length: 1\r\n`],
    ],
    ['in a list of lists', [`[[${inner}]]\n`]],
    ['on a last line without an end', [inner]],
  ])('is not passed on: %s', async (_, lines) => {
    const gateway = open();
    await gateway.write(...lines);
    await gateway.end();
    const sent = gateway.toServer().toString('latin1');
    expect(sent).not.toMatch(/call/);
  });

  it.each([null, true, {}, []])('gets an error for the id %j', async (id) => {
    const gateway = open();
    await gateway.write(call('free', id));
    expect(gateway.answers()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(gateway.toServer()).toHaveLength(0);
    await gateway.end();
  });
});

describe('a demanded call', () => {
  it.each([1, 0, -3, 1.5, 1e21, 'a', '', '1', 'ä"\\'])('has the id %j again in its answer', async (id) => {
    const gateway = open();
    await gateway.write(call('demanded', id, { arguments: { big: 1 } }));
    const [sent] = gateway.sent();
    expect(sent).toEqual({ ...JSON.parse(call('demanded', id, { arguments: { big: 1 } })), id: sent.id });
    expect(sent.id).not.toEqual(id);
    expect(typeof sent.id).toBe(typeof id);
    await gateway.say(`${JSON.stringify({ jsonrpc: '2.0', id: sent.id, result: { content: [] } })}\n`);
    expect(gateway.answers()).toEqual([{ jsonrpc: '2.0', id, result: { content: [] } }]);
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { result: { content: [] } }, isLate: false }]);
    await gateway.end();
    expect(gateway.ends).toHaveLength(1);
  });

  it('keeps what is around its id, byte for byte', async () => {
    const gateway = open();
    const before =
      '{ "method":"tools/call", "params":{"id":5,"name":"demanded","arguments":{"n":12345678901234567890}} , "id" :';
    await gateway.write(`${before} 7.0 ,"jsonrpc":"2.0"}\r\n`);
    const own = gateway.sent()[0].id;
    expect(gateway.toServer().toString()).toBe(`${before} ${own} ,"jsonrpc":"2.0"}\r\n`);
    await gateway.say(`{"id":${own}, "result":{"x":[${own}, 1e400]}}\r\n`);
    expect(gateway.toClient().toString()).toBe(`{"id":7.0, "result":{"x":[${own}, 1e400]}}\r\n`);
    await gateway.end();
  });

  it('gets no answer from another request of the same id', async () => {
    const gateway = open();
    await gateway.write(call('free', 1), call('demanded', 1), call('demanded', 1));
    const [, first, second] = gateway.sent();
    expect(new Set([1, first.id, second.id]).size).toBe(3);
    await gateway.say('{"jsonrpc":"2.0","id":1,"result":{"forged":true}}\n');
    expect(gateway.ends).toEqual([]);
    for (const [at, { id }] of [second, first].entries())
      await gateway.say(`{"jsonrpc":"2.0","id":${id},"result":{"at":${at}}}\n`);
    expect(gateway.ends.map(({ end }) => end)).toEqual([{ result: { at: 0 } }, { result: { at: 1 } }]);
    expect(gateway.answers().map(({ id }) => id)).toEqual([1, 1, 1]);
    await gateway.end();
  });

  it('is cancelled under the id that the server has, and its end is recorded immediately', async () => {
    const gateway = open();
    await gateway.write(call('demanded', 'a'), call('free', 'b'));
    const own = gateway.sent()[0].id;
    const cancel = (id: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'r' },
    });
    await gateway.write(...['b', 'a', 'a'].map((id) => `${JSON.stringify(cancel(id))}\n`));
    expect(gateway.sent().slice(2)).toEqual([cancel('b'), cancel(own), cancel(own)]);
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { failure: 'aborted' }, isLate: false }]);
    await gateway.say(`{"jsonrpc":"2.0","id":"${own}","result":{"content":[]}}\n`);
    expect(gateway.answers()).toEqual([{ jsonrpc: '2.0', id: 'a', result: { content: [] } }]);
    expect(gateway.ends.at(-1)).toEqual({ tool: 'demanded', end: { result: { content: [] } }, isLate: true });
    await gateway.end();
  });

  it.each<[string, object, CallEnd]>([
    [
      'an error',
      { error: { code: 1, message: 'm' } },
      { result: { isError: true, content: [{ type: 'text', text: 'm' }] } },
    ],
    [
      'an error without a message',
      { error: null },
      { result: { isError: true, content: [{ type: 'text', text: 'undefined' }] } },
    ],
    ['a question', { result: { resultType: 'input_required' } }, { result: null }],
    ['a task without an id', { result: { task: { taskId: 1 } } }, { failure: 'protocol_error' }],
    [
      'a task of the newer revision without an id',
      { result: { resultType: 'task' } },
      { failure: 'protocol_error' },
    ],
    ['text', { result: 'done' }, { failure: 'protocol_error' }],
    ['nothing', {}, { failure: 'protocol_error' }],
  ])('ends with %s', async (_, answer, end) => {
    const gateway = open();
    await gateway.write(call('demanded', 1));
    await gateway.say(`${JSON.stringify({ jsonrpc: '2.0', id: gateway.sent()[0].id, ...answer })}\n`);
    expect(gateway.ends).toEqual([{ tool: 'demanded', end, isLate: false }]);
    await gateway.end();
  });

  it.each(['client', 'signal'])('ends on record when nothing answers it any more: %s', async (who) => {
    const gateway = open();
    await gateway.write(call('demanded', 1));
    if (who === 'signal') gateway.stop.abort();
    else gateway.stdin.end();
    await gateway.done;
    const failure = who === 'signal' ? 'aborted' : 'ended_early';
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { failure }, isLate: false }]);
  });

  it('that a server lost gets an error with the reason', async () => {
    const gateway = open();
    await gateway.write(call('demanded', 'a'), call('free', 2));
    await gateway.lose({ id: gateway.sent()[0].id, reason: 'gone' });
    await gateway.lose({ id: 2, reason: 'gone' });
    const error = { code: -32000, message: 'gone' };
    expect(gateway.answers()).toEqual([
      { jsonrpc: '2.0', id: 'a', error },
      { jsonrpc: '2.0', id: 2, error },
    ]);
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { failure: 'ended_early' }, isLate: false }]);
    await gateway.end();
  });
});

describe('a demanded call that the server continues as a task', () => {
  const done = { content: [{ type: 'text', text: 'x' }] };
  const failed = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });
  /** A gateway whose demanded call `a` has become the task `t`; `ask` sends a request for it, which the server answers. */
  async function continued(result: object) {
    const gateway = open();
    await gateway.write(call('demanded', 'a'));
    const answer = async (more: object) =>
      gateway.say(`${JSON.stringify({ jsonrpc: '2.0', id: gateway.sent().at(-1).id, ...more })}\n`);
    await answer({ result });
    expect(gateway.answers()).toEqual([{ jsonrpc: '2.0', id: 'a', result }]);
    expect(gateway.ends).toEqual([]);
    const ask = async (method: string, more: object) => {
      await gateway.write(`${JSON.stringify({ jsonrpc: '2.0', id: 9, method, params: { taskId: 't' } })}\n`);
      expect(gateway.sent().at(-1)).toMatchObject({
        method,
        params: { taskId: 't' },
        id: expect.any(Number),
      });
      expect(gateway.sent().at(-1).id).not.toBe(9);
      await answer(more);
      expect(gateway.answers().at(-1)).toEqual({ jsonrpc: '2.0', id: 9, ...more });
    };
    return { ...gateway, ask };
  }
  const OLD = { task: { taskId: 't', status: 'working' } };
  const NEW = { resultType: 'task', taskId: 't', status: 'working' };
  const state = (status: string, more: object = {}) => ({
    result: { resultType: 'complete', taskId: 't', status, ...more },
  });

  it.each<[string, object, [method: string, answer: object][], CallEnd[]]>([
    [
      'ends with its result',
      OLD,
      [
        ['tasks/get', { result: { taskId: 't', status: 'completed' } }],
        ['tasks/result', { result: done }],
      ],
      [{ result: done }],
    ],
    [
      'ends with the error that its result is',
      OLD,
      [['tasks/result', { error: { code: 1, message: 'm' } }]],
      [{ result: failed('m') }],
    ],
    [
      'ends when it is cancelled',
      OLD,
      [['tasks/cancel', { result: { taskId: 't', status: 'cancelled' } }]],
      [{ failure: 'aborted' }],
    ],
    [
      'ends with the result in its state',
      NEW,
      [
        ['tasks/get', state('working')],
        ['tasks/get', state('completed', { result: done })],
      ],
      [{ result: done }],
    ],
    [
      'ends with the error in its state',
      NEW,
      [['tasks/get', state('failed', { error: { code: 1, message: 'm' } })]],
      [{ result: failed('m') }],
    ],
    ['waits for input', NEW, [['tasks/get', state('input_required', { inputRequests: {} })]], []],
    ['goes on after a request that failed', NEW, [['tasks/get', { error: { code: 1, message: 'm' } }]], []],
    [
      'goes on after a request to cancel it',
      NEW,
      [['tasks/cancel', { result: { resultType: 'complete' } }]],
      [],
    ],
  ])('%s', async (_, created, asked, ends) => {
    const gateway = await continued(created);
    for (const [method, answer] of asked) await gateway.ask(method, answer);
    expect(gateway.ends).toEqual(ends.map((end) => ({ tool: 'demanded', end, isLate: false })));
    await gateway.end();
    expect(gateway.ends).toHaveLength(1);
  });

  it('ends with the result that the server reports by itself', async () => {
    const gateway = await continued(NEW);
    const report = (taskId: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/tasks',
      params: { taskId, status: 'completed', result: done },
    });
    await gateway.say(`${JSON.stringify(report('other'))}\n`);
    expect(gateway.ends).toEqual([]);
    await gateway.say(`${JSON.stringify(report('t'))}\n`);
    expect(gateway.answers().slice(1)).toEqual([report('other'), report('t')]);
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { result: done }, isLate: false }]);
    await gateway.end();
  });

  it('gets no result from another request, another task, or a request that names two', async () => {
    const gateway = await continued(OLD);
    const ask = (params: string, id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tasks/result","params":${params}}\n`;
    await gateway.write(ask('{"taskId":"other"}', 5));
    await gateway.say(`${JSON.stringify({ jsonrpc: '2.0', id: 5, result: done })}\n`);
    await gateway.say(`${JSON.stringify({ jsonrpc: '2.0', id: 'a', result: done })}\n`);
    const before = gateway.sent().length;
    await gateway.write(ask('{"taskId":"other","taskId":"t"}', 6), ask('{"taskid":"other","taskId":"t"}', 7));
    expect(gateway.sent()).toHaveLength(before);
    expect(gateway.answers().slice(-2)).toMatchObject([{ id: 6, error: { code: -32600 } }, { id: 7 }]);
    expect(gateway.ends).toEqual([]);
    await gateway.end();
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { failure: 'ended_early' }, isLate: false }]);
  });

  it('ends once, also with two requests for it', async () => {
    const gateway = await continued(OLD);
    const ask = (id: number) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tasks/result', params: { taskId: 't' } })}\n`;
    await gateway.write(ask(1), ask(2));
    for (const { id } of gateway.sent().slice(1))
      await gateway.say(`${JSON.stringify({ jsonrpc: '2.0', id, result: done })}\n`);
    expect(gateway.answers().slice(1)).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: done })));
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { result: done }, isLate: false }]);
    await gateway.end();
  });
});

describe('batches', () => {
  it('lose what is refused, and keep the rest unchanged', async () => {
    const gateway = open();
    const [free, held, demanded] = ['free', 'held', 'demanded'].map((name, id) =>
      call(name, id, { n: 1 }).trim(),
    );
    await gateway.write(`[ ${free} , ${held},${demanded}, {"n":1e400} ]\n`, `[${held}]\n`);
    const own = gateway.sent()[0][1].id;
    expect(gateway.toServer().toString()).toBe(
      `[${free},${demanded!.replace('"id":2', `"id":${own}`)},{"n":1e400}]\n`,
    );
    expect(gateway.answers()).toMatchObject([
      { id: 1, result: { isError: true } },
      { id: 1, result: { isError: true } },
    ]);
    await gateway.say(`[{"id":0,"result":{}}, {"id":${own},"result":{"a":1}}]\n`);
    expect(gateway.answers()[2]).toEqual([
      { id: 0, result: {} },
      { id: 2, result: { a: 1 } },
    ]);
    expect(gateway.ends).toEqual([{ tool: 'demanded', end: { result: { a: 1 } }, isLate: false }]);
    await gateway.end();
  });

  it('that cannot be judged get an error for each request', async () => {
    const gateway = open();
    const twice = call('held', 1).trim().replace('"name"', '"name":"x","name"');
    await gateway.write(`[${twice},${call('free', 'b').trim()},{"method":"x"}]\n`);
    expect(gateway.answers()).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 'b', error: { code: -32600 } },
    ]);
    expect(gateway.toServer()).toHaveLength(0);
    await gateway.end();
  });
});

describe('the ends of a gateway', () => {
  it('comes when the client stops reading', async () => {
    const gateway = open();
    gateway.stdout.destroy(Object.assign(new Error('no reader'), { code: 'EPIPE' }));
    await gateway.done;
  });

  it('waits for a client that reads slowly', async () => {
    const gateway = open();
    gateway.stdout.pause();
    let written = 0;
    const all = (async () => {
      for (; written < 500; written += 1) await gateway.say(`"${'x'.repeat(10_000)}"\n`);
    })();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(written).toBeLessThan(100);
    gateway.stdout.resume();
    await all;
    await gateway.end();
    expect(gateway.toClient()).toHaveLength(500 * 10_003);
  });
});
