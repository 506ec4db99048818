import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostName, parseAddress, urlHost } from '../../../src/mcp/http/access.ts';

describe('an address to serve at', () => {
  it.each([
    ['8080', { host: '127.0.0.1', port: 8080, loopback: true }],
    ['localhost:0', { host: 'localhost', port: 0, loopback: true }],
    ['127.8.9.1:1', { host: '127.8.9.1', port: 1, loopback: true }],
    ['[::1]:8080', { host: '::1', port: 8080, loopback: true }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80, loopback: false }],
    ['[::]:80', { host: '::', port: 80, loopback: false }],
    ['[::ffff:127.0.0.1]:80', { host: '::ffff:127.0.0.1', port: 80, loopback: false }],
    ['127.0.0.1.example.com:80', { host: '127.0.0.1.example.com', port: 80, loopback: false }],
  ])('%s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each(['', ':80', 'host', 'host:', '65536', '1:2:3', '::1:80', '-1', '1e3', ' 80', 'a b:80', '[::1]'])(
    'is refused: %j',
    (text) => {
      expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );

  it('is read back from what is written in a URL', () => {
    const host = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((ip) => !ip.includes('.')),
      fc.domain(),
    );
    fc.assert(
      fc.property(host, fc.integer({ min: 0, max: 65_535 }), (name, port) => {
        expect(parseAddress(`${urlHost(name)}:${port}`)).toMatchObject({ host: name.toLowerCase(), port });
      }),
      { numRuns: 200 },
    );
  });
});

describe('a host name to admit', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['192.0.2.1', '192.0.2.1'],
    ['[0:0::1]', '[::1]'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
  ])('%s', (text, name) => {
    expect(hostName('--allow-host', text)).toBe(name);
  });

  it.each([
    '',
    '*',
    '*.example.com',
    'https://example.com',
    'example.com:80',
    'example.com/',
    '::1',
    'a b',
    'me@a',
    '[x]',
  ])('is refused: %j', (text) => {
    expect(() => hostName('--allow-host', text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
