import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { giveWay, type Held } from '../../../src/mcp/http/sessions.ts';

const ACTORS = ['ada', 'bob', 'cyd'];
const held: fc.Arbitrary<Held> = fc.record({
  actor: fc.constantFrom(...ACTORS),
  usedAt: fc.nat(20),
  calls: fc.nat(1),
  streams: fc.nat(1),
});
const open = fc.array(held, { maxLength: 12 }).map((all) => new Map(all.map((one, at) => [String(at), one])));
const newcomer = fc.constantFrom(...ACTORS);
const idle = ({ calls, streams }: Held) => calls + streams === 0;
const count = (sessions: Map<string, Held>, actor: string) =>
  [...sessions.values()].filter((one) => one.actor === actor).length;

describe('where there is no room for another session', () => {
  it('only the user with the most sessions loses one, and keeps no fewer than the newcomer', () => {
    fc.assert(
      fc.property(open, newcomer, (sessions, actor) => {
        const given = sessions.get(giveWay(sessions, actor) ?? '');
        if (given === undefined || given.actor === actor) return;
        const before = count(sessions, given.actor);
        expect(before).toBe(Math.max(...ACTORS.map((name) => count(sessions, name))));
        expect(before - 1).toBeGreaterThanOrEqual(count(sessions, actor) + 1);
      }),
    );
  });

  it('a user without a session gets one where another has two', () => {
    fc.assert(
      fc.property(open, newcomer, (sessions, actor) => {
        const most = Math.max(...ACTORS.map((name) => count(sessions, name)));
        if (count(sessions, actor) === 0 && most >= 2) expect(giveWay(sessions, actor)).not.toBeNull();
      }),
    );
  });

  it("the newcomer's sessions in use stay, and older ones of any user end first", () => {
    fc.assert(
      fc.property(open, newcomer, (sessions, actor) => {
        const given = sessions.get(giveWay(sessions, actor) ?? '');
        if (given === undefined) return;
        if (given.actor === actor) expect(idle(given)).toBe(true);
        const alike = [...sessions.values()].filter((one) => one.actor === given.actor && idle(one));
        if (alike.length > 0) expect(given.usedAt).toBe(Math.min(...alike.map(({ usedAt }) => usedAt)));
      }),
    );
  });

  it('what is in use is closed only when nothing else can be, calls last', () => {
    const one = (actor: string, use: Partial<Held> = {}): Held => ({
      actor,
      usedAt: 1,
      calls: 0,
      streams: 0,
      ...use,
    });
    const calling = one('ada', { calls: 1 });
    const listening = one('ada', { streams: 1, usedAt: 5 });
    const ada = { calling, again: calling, listening, also: listening };
    const sessions = (all: Record<string, Held>) => new Map(Object.entries(all));
    expect(giveWay(sessions({ ...ada, idle: one('ada', { usedAt: 9 }) }), 'bob')).toBe('idle');
    expect(giveWay(sessions({ ...ada, bobs: one('bob', { usedAt: 9 }) }), 'bob')).toBe('bobs');
    expect(giveWay(sessions({ ...ada, bobs: one('bob', { calls: 1 }) }), 'bob')).toBe('listening');
    expect(giveWay(sessions({ calling, again: calling }), 'bob')).toBe('calling');
    expect(giveWay(sessions(ada), 'ada')).toBeNull();
    expect(giveWay(sessions({ calling }), 'bob')).toBeNull();
  });
});
