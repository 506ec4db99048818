import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverStore } from '../../../src/cli/commands/install/server-start.ts';

describe('the store of an installed server', () => {
  it('is that of the option, else of the entry, else the usual one', () => {
    const env = { KAIROS_STORE: '/shell.db', KAIROS_SPACE: 'team', KAIROS_DATA_DIR: '' };
    expect(serverStore(env, { options: {}, entry: {}, usual: '/usual.db' })).toEqual({
      store: '/usual.db',
      left_out: ['KAIROS_STORE', 'KAIROS_SPACE'],
    });
    const entry = { KAIROS_STORE: '/entry.db' };
    expect(serverStore(env, { options: { space: 'x' }, entry, usual: null })).toEqual({
      store: '/entry.db',
      left_out: [],
    });
    expect(serverStore(env, { options: { store: '/flag.db' }, entry, usual: null })).toEqual({
      store: '/flag.db',
      left_out: ['KAIROS_SPACE'],
    });
  });

  it('never leaves out what the entry or an option decides', () => {
    const names = ['KAIROS_STORE', 'QDRANT_URL', 'KAIROS_SPACE', 'KAIROS_DATA_DIR', 'KAIROS_CONFIG_DIR'];
    const some = fc.dictionary(fc.constantFrom(...names), fc.string({ minLength: 1 }));
    const options = fc.record({ store: fc.string(), space: fc.string() }, { requiredKeys: [] });
    fc.assert(
      fc.property(some, some, options, (env, entry, given) => {
        const { left_out } = serverStore(env, { options: given, entry, usual: null });
        for (const name of left_out) {
          expect(env).toHaveProperty(name);
          expect(entry).not.toHaveProperty(name);
        }
        if (given.store !== undefined) expect(left_out).not.toContain('QDRANT_URL');
        if (given.space !== undefined) expect(left_out).not.toContain('KAIROS_SPACE');
      }),
      { numRuns: 100 },
    );
  });
});
