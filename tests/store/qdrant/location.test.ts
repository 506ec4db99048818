import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLocation, showLocation } from '../../../src/store/qdrant/transport.ts';

const NODE = { host: 'h', port: 6333 };
const PLAIN = { tls: false, nodes: [NODE], prefix: '', alias: 'kairos', replicas: 1, shards: null };

describe('parseLocation', () => {
  it.each([
    ['qdrant://h', PLAIN],
    ['qdrant://h:7000/team', { ...PLAIN, nodes: [{ ...NODE, port: 7000 }], alias: 'team' }],
    ['qdrant+http://h/', PLAIN],
    ['qdrant+https://h:443/team', { ...PLAIN, tls: true, nodes: [{ ...NODE, port: 443 }], alias: 'team' }],
    ['qdrant:http://h:80', { ...PLAIN, nodes: [{ ...NODE, port: 80 }] }],
    [
      'qdrant:https://h/behind/a/proxy/team',
      { ...PLAIN, tls: true, prefix: '/behind/a/proxy', alias: 'team' },
    ],
    ['qdrant:qdrant://h/team', { ...PLAIN, alias: 'team' }],
    ['qdrant://[::1]:6334/a', { ...PLAIN, nodes: [{ host: '::1', port: 6334 }], alias: 'a' }],
    [
      'qdrant+https://a,b:7000,[::1]:7001/team?replicas=3',
      {
        ...PLAIN,
        tls: true,
        nodes: [
          { host: 'a', port: 6333 },
          { host: 'b', port: 7000 },
          { host: '::1', port: 7001 },
        ],
        alias: 'team',
        replicas: 3,
      },
    ],
    ['qdrant://h/a?replicas=3&shards=6', { ...PLAIN, alias: 'a', replicas: 3, shards: 6 }],
  ])('reads %s', (address, expected) => {
    expect(parseLocation(address)).toEqual(expected);
  });

  it.each([
    'qdrant:',
    'qdrant://',
    'qdrant:h:6333',
    'qdrant:ftp://h',
    'qdrant://h:99999/a',
    'qdrant://h/a%2Fb',
    'qdrant://h/a b',
    'qdrant://h/_a',
    'qdrant://h/a?replicas=0',
    'qdrant://h/a?replicas=many',
    'qdrant://h/a?timeout=5',
    'qdrant://h/a#b',
    'qdrant://a,,b/team',
    'qdrant://a,b:99999/team',
    'qdrant://a,me:geheim@b/team',
    'qdrant://me:geheim@h/a',
    'qdrant:https://geheim@h',
  ])('rejects %s without printing a secret', (address) => {
    expect(() => parseLocation(address)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', hint: expect.stringContaining('QDRANT_API_KEY') }),
    );
    expect(() => parseLocation(address)).not.toThrow(/geheim/);
  });

  it('shows what it reads again', () => {
    const node = fc.record({
      host: fc.constantFrom('localhost', '10.0.0.7', '::1', 'q.example.org'),
      port: fc.integer({ min: 1, max: 65_535 }),
    });
    const location = fc.record({
      tls: fc.boolean(),
      nodes: fc.array(node, { minLength: 1, maxLength: 4 }),
      prefix: fc.constantFrom('', '/a', '/a/b'),
      alias: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/).filter((name) => !/^\.+$/.test(name)),
    });
    fc.assert(
      fc.property(location, (parts) => {
        expect(parseLocation(showLocation({ ...PLAIN, ...parts }))).toEqual({ ...PLAIN, ...parts });
      }),
    );
  });
});
