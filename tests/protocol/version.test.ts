import { describe, expect, it } from 'vitest';
import { isVersion } from '../../src/protocol/terms.ts';

describe('isVersion', () => {
  it.each(['0.0.0', '1.2.3', '10.20.30', '1.0.0-rc.1', '3.4.1-rc.1+build.5', '1.0.0-x-y.0.z'])(
    'accepts %s',
    (text) => expect(isVersion(text)).toBe(true),
  );

  it.each([
    '',
    '1',
    '1.2',
    'v1.2.3',
    '01.2.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3+',
    ' 1.2.3',
    '1.2.3\n',
    `1.2.${'3'.repeat(300)}`,
  ])('refuses %j', (text) => expect(isVersion(text)).toBe(false));
});
