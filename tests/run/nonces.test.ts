import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NONCES_KEPT, Nonces, type ShownNonce } from '../../src/run/nonces.ts';

function nonce(sha256: string, station = 0): ShownNonce {
  return { sha256, station, echo: 'e', expiresAt: 1, permit: null };
}

/** The same facts in the plainest form. */
interface Model {
  shown: ShownNonce[];
  spent: Record<string, string>;
}

describe('Nonces', () => {
  test('every fork contains only its changes and those of its ancestors', () => {
    const act = fc.record({
      on: fc.nat(7),
      act: fc.constantFrom('show' as const, 'spend' as const, 'fork' as const),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const forks: { nonces: Nonces; model: Model }[] = [
          { nonces: new Nonces(), model: { shown: [], spent: {} } },
        ];
        acts.forEach(({ on, act: what, name }, at) => {
          const { nonces, model } = forks[on % forks.length]!;
          const known = model.shown.some(({ sha256 }) => sha256 === name);
          if (what === 'fork') forks.push({ nonces: nonces.fork(), model: structuredClone(model) });
          else if (what === 'show') {
            nonces.show(nonce(name));
            if (!known) model.shown.push(nonce(name));
          } else {
            nonces.spend(name, `s${at}`);
            if (known) model.spent[name] ??= `s${at}`;
          }
        });
        for (const { nonces, model } of forks) {
          expect(nonces.newest()).toEqual(model.shown.at(-1) ?? null);
          for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
            const shown = model.shown.find(({ sha256 }) => sha256 === name) ?? null;
            expect(nonces.get(name)).toEqual(shown);
            if (shown !== null) expect(nonces.spentBy(shown)).toBe(model.spent[name] ?? null);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('the newest of the pending station stay valid, and no others', () => {
    const nonces = new Nonces();
    nonces.show(nonce('old', 0));
    for (let at = 0; at < NONCES_KEPT + 4; at += 1) nonces.show(nonce(`n${at}`, 1));
    const valid = nonces.valid(1).map(({ sha256 }) => sha256);
    expect(valid).toHaveLength(NONCES_KEPT);
    expect(valid[0]).toBe(`n${NONCES_KEPT + 3}`);
    expect(nonces.valid(1, ({ sha256 }) => sha256 === 'n0').map(({ sha256 }) => sha256)).toEqual(['n0']);
    expect(nonces.valid(2)).toEqual([]);
  });
});
