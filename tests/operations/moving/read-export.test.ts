import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonical } from '../../../src/base/canonical.ts';
import type { Store } from '../../../src/store/port.ts';
import { contentOf, revisionOf } from '../../store/builders.ts';
import { runs } from '../../support/thorough.ts';
import { beginRun, emptyStore, exported, imported } from './stores.ts';

let store: Store;
let text: string;
beforeAll(async () => {
  store = await emptyStore();
  const content = contentOf({ title: 'Grünes 🌱' });
  await store.putRevision(revisionOf(content), null);
  await store.putRevision(revisionOf(contentOf({ slug: 'other' })), null);
  await store.rate(revisionOf(content).chainId, revisionOf(content).digest, 'success', 0.5);
  await beginRun(store, 'r1', 2);
  await beginRun(store, 'r2');
  ({ text } = await exported(store));
});
afterAll(() => store.close());

/** What an import says, and that it wrote nothing. */
async function refusal(changed: string | Uint8Array): Promise<string> {
  const target = await emptyStore();
  try {
    const said = await imported(target, changed, { onConflict: 'replace' }).then(
      () => 'taken in',
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );
    if (said !== 'taken in') expect((await exported(target)).trailer).toMatchObject({ chains: 0, runs: 0 });
    return said;
  } finally {
    await target.close();
  }
}

/** The same records with a trailer that fits: what somebody writes who knows the format. */
function resigned(lines: string[]): string {
  const body = lines.map((line) => `${line}\n`).join('');
  const of = (key: string) => lines.filter((line) => line.startsWith(`{"${key}"`)).length;
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${canonical({ trailer: { chains: of('chain'), runs: of('run'), sha256 } })}\n`;
}

// biome-ignore lint/suspicious/noExplicitAny: a parsed line, to be broken on purpose
type Loose = any;

const lines = () => text.trimEnd().split('\n').slice(0, -1);
const editedAt = (at: number, change: (value: Loose) => void) =>
  resigned(
    lines().map((line, index) => {
      if (index !== at) return line;
      const value = JSON.parse(line);
      change(value);
      return canonical(value);
    }),
  );

describe('readExport', () => {
  it('accepts a file that was not changed', async () => {
    expect(await refusal(text)).toBe('taken in');
    expect(await refusal(resigned(lines()))).toBe('taken in');
  });

  it('refuses a file that is cut anywhere', async () => {
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (end) => {
        expect(await refusal(bytes.subarray(0, end))).toMatch(
          /^INVALID_INPUT: x\.jsonl, line \d+ (?:ends in the middle: the file is cut|is missing: the file is cut before its trailer)$/,
        );
      }),
      { numRuns: runs(60) },
    );
    expect(await refusal('')).toBe(
      'INVALID_INPUT: x.jsonl, line 1 is missing: the file is cut before its trailer',
    );
  });

  it('refuses a file in which any byte is another', async () => {
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ flip;
        expect(await refusal(changed)).toMatch(/^INVALID_INPUT: x\.jsonl, line \d+ /);
      }),
      { numRuns: runs(150) },
    );
  });

  it('refuses lines left out, put in, repeated or in another order, even with a trailer that fits', async () => {
    const [header, one, two, first, second] = lines() as [string, string, string, string, string];
    const trailer = text.trimEnd().split('\n').at(-1)!;
    const raw = (...all: string[]) => all.map((line) => `${line}\n`).join('');
    expect(await refusal(raw(header, one, first, second, trailer))).toBe(
      'INVALID_INPUT: x.jsonl, line 5 does not count the records of the file (1 chains and 2 runs): some were removed or added',
    );
    expect(await refusal(raw(header, one, two, first, second, trailer, first))).toBe(
      'INVALID_INPUT: x.jsonl, line 7 follows the trailer',
    );
    for (const order of [
      [header, two, one, first, second],
      [header, one, one],
      [header, first, one],
      [header, second, first],
    ])
      expect(await refusal(resigned(order))).toMatch(/ is a duplicate or out of order$/);
    expect(await refusal(resigned([one]))).toBe(
      'INVALID_INPUT: x.jsonl, line 1 is not the header of an exported store',
    );
    expect(await refusal(resigned(['{"format":"kairos.store","v":2}', one]))).toBe(
      'INVALID_INPUT: x.jsonl, line 1 has format version 2, but this kairos reads 1: update kairos',
    );
  });

  it('refuses text that was reformatted', async () => {
    expect(await refusal(text.replaceAll('\n', '\r\n'))).toMatch(/line 1 is not in RFC 8785 form/);
    expect(await refusal(`\ufeff${text}`)).toMatch(/line 1 is not JSON in UTF-8/);
    expect(await refusal(Buffer.from([0xff, 0x0a]))).toMatch(/line 1 is not JSON in UTF-8/);
    expect(await refusal(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`)).toMatch(/nested too deeply/);
  });

  it('refuses records that are not whole, even with a trailer that fits', async () => {
    const rated = lines().findIndex((line) => line.includes('"runs":1')); // the chain with counts
    const says = async (at: number, change: (value: Loose) => void) =>
      (await refusal(editedAt(at, change))).replace(/^.*?(?:chain|run) [-0-9a-z]+ /, '');
    expect(await says(1, ({ chain }) => (chain.revisions[0].content.title = 'Other'))).toMatch(
      /^contains other content under digest/,
    );
    expect(await says(1, ({ chain }) => (chain.space = 'elsewhere'))).toMatch(/^does not have the id/);
    expect(await says(1, ({ chain }) => (chain.head = 7))).toMatch(/^has a head that is not its newest/);
    expect(await says(1, ({ chain }) => chain.revisions.push(chain.revisions[0]))).toMatch(
      /^has duplicate revisions or revisions out of order/,
    );
    expect(await says(rated, ({ chain }) => (chain.quality[0].successes = 2))).toBe('has impossible counts');
    expect(await says(rated, ({ chain }) => chain.quality.push(chain.quality[0]))).toBe(
      'has duplicate counts or counts out of order',
    );
    expect(await says(3, ({ run }) => run.entries.pop())).toBe('taken in'); // an open run may be shorter
    expect(await says(3, ({ run }) => run.entries.splice(1, 1))).toMatch(/^has a ledger that is not intact/);
    expect(await says(3, ({ run }) => (run.entries[1].at = '2020-01-01T00:00:00.000Z'))).toMatch(
      /^has a ledger that is not intact/,
    );
    expect(await says(3, ({ run }) => (run.run_id = 'r7'))).toBe('has the ledger of another run');
    expect(await says(3, ({ run }) => (run.store_seq = 0))).toMatch(/run\.store_seq cannot be used/);
    expect(await says(3, ({ run }) => (run.more = 1))).toMatch(/its run cannot be used/);
    expect(await says(1, ({ chain }) => (chain.revisions[0].author = 'a\0b'))).toMatch(
      /chain\.revisions\.0\.author cannot be used/,
    );
    expect(await says(1, ({ chain }) => (chain.revisions[0].content.steps[0].block = { shell: 1 }))).toMatch(
      /chain\.revisions\.0\.content\.steps\.0\.block/,
    );
  });
});
