import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/canonical.ts';
import { serverDigest } from '../../../src/host/mcp-client/resolve-server.ts';

const server = { command: 'npx', args: ['-y', 'thing'], env: { B: '1', A: '2' }, cwd: null };

describe('serverDigest', () => {
  it('is the hash of the definition as written', () => {
    const text = '{"args":["-y","thing"],"command":"npx","cwd":null,"env":{"A":"2","B":"1"}}';
    expect(serverDigest(server)).toBe(sha256Hex(text));
  });

  it('does not depend on the order of names', () => {
    expect(serverDigest({ ...server, env: { A: '2', B: '1' } })).toBe(serverDigest(server));
  });

  it('differs for every other command, argument list, variable, value or folder', () => {
    const text = fc.string({ maxLength: 4, unit: 'grapheme-ascii' });
    const any = fc.record({
      command: text,
      args: fc.array(text, { maxLength: 3 }),
      env: fc.dictionary(text, text, { maxKeys: 3 }),
      cwd: fc.option(text),
    });
    const identity = ({ command, args, env, cwd }: Parameters<typeof serverDigest>[0]) =>
      JSON.stringify([command, args, Object.entries(env).sort(), cwd]);
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(serverDigest(a) === serverDigest(b)).toBe(identity(a) === identity(b));
      }),
      { numRuns: 200 },
    );
  });
});
