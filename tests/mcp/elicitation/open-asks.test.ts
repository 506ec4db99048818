import { describe, expect, it } from 'vitest';
import type { ClientQuestion } from '../../../src/mcp/elicitation/ask.ts';
import { createOpenAsks, type OpenAsk } from '../../../src/mcp/elicitation/open-asks.ts';
import { testClock } from '../../support/context.ts';

const KEY = new Uint8Array(32).fill(7);

function make() {
  const now = testClock();
  const server = (key = KEY) => createOpenAsks({ now, lifetimeMs: 1000, key: async () => key });
  const open = (actor = 'ada', uri = 'kairos://mem/1'): OpenAsk => ({
    ask: { runId: 'run', uri, asked: 'sampling', driver: 'sampling', askedAt: now() } as ClientQuestion,
    tool: 'kairos_next',
    argumentsSha256: 'x',
    actor,
  });
  return { now, asks: server(), server, open };
}

describe('open questions', () => {
  it('are returned once', async () => {
    const { asks, open } = make();
    const entry = open();
    const text = (await asks.seal(entry))!;
    expect(await asks.open(text, 'ada')).toEqual(entry);
    expect(await asks.open(text, 'ada')).toBeUndefined();
    expect(await asks.open('made up', 'ada')).toBeUndefined();
  });

  it('are returned by another server with the same key, and by no other', async () => {
    const { asks, server, open } = make();
    const entry = open();
    const text = (await asks.seal(entry))!;
    expect(await server(new Uint8Array(32)).open(text, 'ada')).toBeUndefined();
    expect(await server().open(text, 'ada')).toEqual(entry);
  });

  it('show nothing of what they ask, and cannot be changed', async () => {
    const { asks, open } = make();
    const text = (await asks.seal(open()))!;
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('kairos_next');
    const changed = Buffer.from(text, 'base64url');
    changed[changed.length - 1]! ^= 1;
    expect(await asks.open(changed.toString('base64url'), 'ada')).toBeUndefined();
  });

  it('of another caller are not returned and stay open', async () => {
    const { asks, open } = make();
    const entry = open();
    const text = (await asks.seal(entry))!;
    expect(await asks.open(text, 'bob')).toBeUndefined();
    expect(await asks.open(text, 'ada')).toEqual(entry);
  });

  it('expire', async () => {
    const { now, asks, open } = make();
    const text = (await asks.seal(open()))!;
    now.advance(1001);
    expect(await asks.open(text, 'ada')).toBeUndefined();
  });

  it('are asked at most twice while the client drops them', async () => {
    const { asks, open } = make();
    expect(await asks.seal(open())).not.toBeNull();
    expect(await asks.seal(open())).not.toBeNull();
    expect(await asks.seal(open())).toBeNull();
    expect(await asks.seal(open('bob'))).not.toBeNull();
    expect(await asks.seal(open('ada', 'kairos://mem/2'))).not.toBeNull();
  });

  it('that were answered do not count as dropped', async () => {
    const { asks, open } = make();
    for (let round = 0; round < 5; round += 1) {
      expect(await asks.open((await asks.seal(open()))!, 'ada')).toBeDefined();
    }
  });
});
