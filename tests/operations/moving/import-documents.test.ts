import { describe, expect, it } from 'vitest';
import { importDocuments } from '../../../src/operations/moving/import-documents.ts';
import { makeContext } from '../../support/context.ts';
import { protocolOf } from '../../support/protocols.ts';

const doc = (name: string, text: string) => ({ name, read: () => text });
const one = doc('one.md', protocolOf(['comment'], 'First of all'));
const two = doc('two.md', `${protocolOf(['shell'], 'Second')}\n${protocolOf(['comment'], 'Third')}`);
const settings = { onConflict: 'fail' as const, dryRun: false };

describe('importDocuments', () => {
  it('imports every chain once, and changes nothing the second time', async () => {
    const ctx = await makeContext();
    const report = await importDocuments(ctx, [one, two], settings);
    expect(report.chains).toEqual({ stored: 3, extended: 0, replaced: 0, unchanged: 0, skipped: 0 });
    expect((await importDocuments(ctx, [one, two], settings)).chains.unchanged).toBe(3);
    expect((await ctx.store.listChains(['default'])).map(({ slug }) => slug)).toEqual([
      'first-of-all',
      'second',
      'third',
    ]);
  });

  it('writes nothing when one document is wrong, or a slug is in use', async () => {
    const ctx = await makeContext();
    await expect(importDocuments(ctx, [one, doc('bad.md', 'no heading')], settings)).rejects.toMatchObject({
      code: 'PROTOCOL_INVALID',
      message: expect.stringContaining('bad.md has an error'),
    });
    await expect(importDocuments(ctx, [one, doc('copy.md', one.read())], settings)).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message:
        '1 of the records cannot be imported:\n  copy.md: first-of-all is also the slug of a protocol in one.md',
    });
    expect(await ctx.store.listChains(['default'])).toEqual([]);
  });

  it('leaves, replaces or refuses what is here with other content', async () => {
    const ctx = await makeContext();
    await importDocuments(ctx, [one], settings);
    const looser = doc('one.md', protocolOf(['none'], 'First of all'));
    await expect(importDocuments(ctx, [looser], settings)).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: '1 of the records cannot be imported:\n  one.md: first-of-all has other content here',
    });
    expect((await importDocuments(ctx, [looser], { ...settings, onConflict: 'skip' })).chains.skipped).toBe(
      1,
    );
    const dry = { ...settings, onConflict: 'replace' as const, dryRun: true };
    expect((await importDocuments(ctx, [looser], dry)).chains.replaced).toBe(1);
    expect(await ctx.store.headBySlug('default', 'first-of-all')).toMatchObject({ number: 1 });
    await importDocuments(ctx, [looser], { ...dry, dryRun: false });
    expect(await ctx.store.headBySlug('default', 'first-of-all')).toMatchObject({
      number: 2,
      weakened: 'the demand of step 1 was removed or loosened',
    });
  });

  it('never replaces what is part of kairos', async () => {
    const ctx = await makeContext();
    const mine = doc('mine.md', protocolOf(['comment'], 'Create a protocol'));
    await expect(importDocuments(ctx, [mine], { ...settings, onConflict: 'replace' })).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: expect.stringContaining('create-a-protocol is part of kairos and cannot be replaced'),
    });
  });
});
