import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentCall } from '../../src/gate/holds.ts';
import { matchHolds } from '../../src/gate/holds.ts';
import { begin } from '../../src/operations/begin.ts';
import { deleteChains } from '../../src/operations/delete.ts';
import { passCall } from '../../src/operations/gateway.ts';
import { judgeCall } from '../../src/operations/hook.ts';
import { mint } from '../../src/operations/mint.ts';
import { chainId, stepUri } from '../../src/protocol/identity.ts';
import type { Hold } from '../../src/protocol/schema.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';

const protocol = (slug: string, ...tools: string[]) =>
  [
    `---\nslug: ${slug}\n---\n# The protocol ${slug}\n`,
    ...tools.map(
      (tool) =>
        `## Call ${tool}\n\n\`\`\`json\n{"proof_of_work": {"type": "mcp", "mcp": {"tool_name": "${tool}"}}}\n\`\`\`\n`,
    ),
  ].join('\n');
const call = (tool: string) => ({ kind: 'tool' as const, tool, server: null, arguments: {} });
const holdsOf = (made: AgentCall, over: Partial<Hold>) =>
  matchHolds(
    [
      {
        hold: {
          match: { tool: 'merge' },
          protocol: 'release',
          allow_when: 'demanded',
          else: 'deny',
          ...over,
        },
        origin: 'user',
        source: 'x',
      },
    ],
    made,
  );

const GATEWAY = { since: '2026-01-01T00:00:00Z', otherServer: async () => null };

let ctx: TestContext;
beforeEach(async () => {
  ctx = await makeContext();
  await mint(ctx, { markdown_doc: protocol('release', 'check', 'merge') });
});

/** Trusts the stored content of a protocol. */
async function trust(slug: string): Promise<void> {
  const { digest, chainId: id, content } = (await ctx.store.headBySlug('default', slug))!;
  const named = { digest, chainId: id, slug, title: content.title };
  await ctx.trust.grant({ ...named, trustedAt: '2026-01-01T00:00:00Z', by: 'ada' });
}
const start = async (key: string) => ((await begin(ctx, { key })) as RunFields).run_id!;

/** What the gateway and the hook do with a call of the held tool. */
async function judged(runIds: string[], over: Partial<Hold> = {}): Promise<(string | null)[]> {
  const made = call('merge');
  const { refusal } = await passCall(ctx, holdsOf(made, over), made, GATEWAY);
  const hook = await judgeCall(ctx, holdsOf(made, over), runIds, made);
  return [refusal, hook?.text ?? null];
}

describe('a run of content that the user does not trust', () => {
  const NOT_TRUSTED = expect.stringContaining('The content of this run is not the one that the user trusts');

  it.each(['demanded', 'open'] as const)('opens no held tool that needs a run: %s', async (when) => {
    await trust('release');
    await mint(ctx, { markdown_doc: protocol('release', 'merge'), force_update: true });
    const changed = await start('release');
    expect(await judged([changed], { allow_when: when })).toEqual([NOT_TRUSTED, NOT_TRUSTED]);
    await trust('release');
    expect(await judged([changed], { allow_when: when })).toEqual([null, null]);
  });

  it('opens none under the name of a deleted protocol', async () => {
    await trust('release');
    await deleteChains(ctx, { uris: [stepUri(chainId('default', 'release'), 1)] });
    await mint(ctx, { markdown_doc: protocol('release', 'merge') });
    expect(await judged([await start('release')])).toEqual([NOT_TRUSTED, NOT_TRUSTED]);
  });

  it('opens none next to runs that the user trusts', async () => {
    await trust('release');
    const trusted = await start('release');
    await mint(ctx, { markdown_doc: protocol('release', 'merge'), force_update: true });
    await mint(ctx, { markdown_doc: protocol('other', 'merge') });
    await trust('other');
    const runs = [await start('release'), await start('other'), trusted];
    expect(await judged(runs)).toEqual([
      expect.stringContaining('does not demand exactly this call'),
      expect.stringContaining('does not demand exactly this call'),
    ]);
  });
});

describe('the trust of a run', () => {
  it('is read only if a hold of the call names its protocol', async () => {
    await mint(ctx, { markdown_doc: protocol('other', 'merge') });
    const runs = [await start('release'), await start('other')];
    const { trust: kept } = ctx;
    const get = vi.fn(kept.get);
    ctx = { ...ctx, trust: { ...kept, get } };
    expect(await passCall(ctx, [], call('echo'), GATEWAY)).toMatchObject({ refusal: null, demanded: null });
    expect(await passCall(ctx, [], call('merge'), GATEWAY)).toMatchObject({
      demanded: { run: { runId: runs[1] } },
    });
    expect(get).not.toHaveBeenCalled();
    await judged(runs);
    expect(get).toHaveBeenCalledTimes(2);
  });
});
