import { describe, expect, it } from 'vitest';
import { begin } from '../../src/operations/begin.ts';
import { dump } from '../../src/operations/dump.ts';
import { mint } from '../../src/operations/mint.ts';
import { as, makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';

describe('a protocol is found', () => {
  it.each([
    ['by its URI', (uri: string) => ({ uri })],
    ['by its slug', () => ({ key: 'walk-about' })],
    ['by its title', () => ({ key: 'Walk About' })],
    ['by its slug as a URI', () => ({ uri: 'walk-about' })],
    ['by both, which are of one protocol', (uri: string) => ({ uri, key: 'walk-about' })],
    ['by the same slug twice', () => ({ uri: 'walk-about', key: 'walk-about' })],
  ])('%s', async (_, named) => {
    const ctx = as(await makeContext(), { interface: 'mcp' });
    const { items } = await mint(ctx, { markdown_doc: protocolOf(['shell', 'none'], 'Walk about') });
    const uri = items[0]!.uri;
    expect(await begin(ctx, named(uri))).toMatchObject({ current_step: { uri } });
  });

  it('only by names of one protocol', async () => {
    const ctx = await makeContext();
    const { items } = await mint(ctx, { markdown_doc: protocolOf(['shell', 'none'], 'Walk about') });
    await mint(ctx, { markdown_doc: protocolOf(['shell', 'none'], 'Stay here') });
    const both = { uri: items[0]!.uri, key: 'stay-here' };
    await expect(begin(ctx, both)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(begin(ctx, { key: 'No Such Walk' })).rejects.toMatchObject({ code: 'INVALID_SLUG' });
    await expect(begin(ctx, { key: 'no-such-walk' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const long = 'x'.repeat(1_000_000);
    for (const call of [begin(ctx, { key: long }), begin(ctx, { uri: long }), dump(ctx, { uri: long })])
      await expect(call).rejects.toMatchObject({ message: expect.stringMatching(/^"x{100}…" .{1,60}$/) });
  });
});
