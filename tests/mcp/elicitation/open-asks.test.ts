import { describe, expect, it } from 'vitest';
import type { ClientQuestion } from '../../../src/mcp/elicitation/ask.ts';
import { createOpenAsks, type OpenAsk } from '../../../src/mcp/elicitation/open-asks.ts';
import { testClock } from '../../support/context.ts';

function make() {
  const now = testClock();
  const asks = createOpenAsks({ now, lifetimeMs: 1000 });
  const open = (actor = 'ada'): OpenAsk => ({
    ask: { askedAt: now() } as ClientQuestion,
    tool: 'kairos_next',
    argumentsSha256: 'x',
    actor,
  });
  return { now, asks, open };
}

describe('open questions', () => {
  it('are taken once', () => {
    const { asks, open } = make();
    const entry = open();
    const id = asks.keep(entry);
    expect(asks.take(id, 'ada')).toBe(entry);
    expect(asks.take(id, 'ada')).toBeUndefined();
    expect(asks.take('made up', 'ada')).toBeUndefined();
  });

  it('are nobody else’s, whose try costs the asker nothing', () => {
    const { asks, open } = make();
    const entry = open();
    const id = asks.keep(entry);
    expect(asks.take(id, 'bob')).toBeUndefined();
    expect(asks.take(id, 'ada')).toBe(entry);
  });

  it('are forgotten in time', () => {
    const { now, asks, open } = make();
    const id = asks.keep(open());
    now.advance(1001);
    expect(asks.take(id, 'ada')).toBeUndefined();
  });

  it('of one caller are at most a hundred, whoever else asks', () => {
    const { asks, open } = make();
    const entries = Array.from({ length: 101 }, () => open());
    const ids = entries.map((entry) => asks.keep(entry));
    const bobs = open('bob');
    const other = asks.keep(bobs);
    expect(asks.take(ids[0]!, 'ada')).toBeUndefined();
    expect(asks.take(ids[1]!, 'ada')).toBe(entries[1]);
    expect(asks.take(other, 'bob')).toBe(bobs);
  });

  it('are signed with a key of their own', () => {
    expect(make().asks.key).toHaveLength(32);
    expect(make().asks.key).not.toEqual(make().asks.key);
  });
});
