import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/canonical.ts';
import { serverDigest } from '../../../src/mcp/proof-client/server-digest.ts';

const server = { command: 'npx', args: ['-y', 'thing'], env: { B: '1', A: '2' } };

describe('serverDigest', () => {
  it('is the hash of command, arguments and the names of variables', () => {
    expect(serverDigest(server)).toBe(sha256Hex('{"args":["-y","thing"],"command":"npx","env":["A","B"]}'));
  });

  it('does not depend on values, nor on the order of names', () => {
    expect(serverDigest({ ...server, env: { A: 'x', B: 'y' } })).toBe(serverDigest(server));
  });

  it('differs for every other command, argument list or set of names', () => {
    const text = fc.string({ maxLength: 4 });
    const any = fc.record({
      command: text,
      args: fc.array(text, { maxLength: 3 }),
      env: fc.dictionary(text, text, { maxKeys: 3 }),
    });
    const identity = ({ command, args, env }: Parameters<typeof serverDigest>[0]) =>
      JSON.stringify([command, args, Object.keys(env).sort()]);
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(serverDigest(a) === serverDigest(b)).toBe(identity(a) === identity(b));
      }),
      { numRuns: 200 },
    );
  });
});
