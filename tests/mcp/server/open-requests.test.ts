import { describe, expect, it } from 'vitest';
import { OpenRequests } from '../../../src/mcp/server/open-requests.ts';

const call = (id: string | number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } });
const cancel = (requestId: string | number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

describe('OpenRequests', () => {
  it('admits an id again once its request has been answered, cancelled or refused, and not before', () => {
    const requests = new OpenRequests();
    const ends: [string, (id: number) => void][] = [
      ['answered', (id) => requests.answered({ jsonrpc: '2.0', id, result: {} })],
      ['failed', (id) => requests.answered({ jsonrpc: '2.0', id, error: { code: 1, message: 'no' } })],
      ['cancelled', (id) => requests.admit(cancel(id))],
      ['refused', (id) => requests.forget(call(id))],
    ];
    for (const [at, [how, end]] of ends.entries()) {
      expect([how, requests.admit(call(at))]).toEqual([how, true]);
      // A request of the server's own, with its own numbers.
      requests.answered({ jsonrpc: '2.0', id: at, method: 'roots/list' });
      expect([how, requests.admit(call(at))]).toEqual([how, false]);
      end(at);
      expect([how, requests.admit(call(at))]).toEqual([how, true]);
    }
  });

  it('distinguishes texts from numbers, and accepts a batch completely or not at all', () => {
    const requests = new OpenRequests();
    expect(requests.admit([call(1), call('1')])).toBe(true);
    expect(requests.admit([call(2), call(1)])).toBe(false);
    expect(requests.admit([call(3), call(3)])).toBe(false);
    expect(requests.admit([call(2), call(3)])).toBe(true);
  });

  it('passes messages that are not requests', () => {
    const requests = new OpenRequests();
    for (const body of [null, 3, 'x', {}, { id: 1 }, { jsonrpc: '2.0', id: 1, result: {} }]) {
      expect(requests.admit(body)).toBe(true);
      expect(requests.admit(body)).toBe(true);
    }
  });
});
