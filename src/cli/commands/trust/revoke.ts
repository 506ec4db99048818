import { KairosError } from '../../../base/errors.ts';
import { resolveUri } from '../../../operations/run/locate.ts';
import type { TrustRecord } from '../../../run/ports.ts';
import { readChains } from '../../chain-source.ts';
import type { Call } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { readTarget } from '../../target.ts';

/**
 * Revokes trust: of one digest, or of every content of the protocol that a file, URI or slug names, old ones
 * and deleted protocols included. With `--json`: `{revoked[] <digest>}`.
 */
export async function revokeTrust(call: Call<[string | undefined]>, target: string): Promise<number> {
  const { trust } = await openHost(call);
  const matches = await matcher(call, target);
  const revoked: string[] = [];
  for (const record of await trust.list()) {
    if (matches(record) && (await trust.revoke(record.digest))) revoked.push(record.digest);
  }
  if (revoked.length === 0) {
    throw new KairosError('NOT_FOUND', `nothing that ${JSON.stringify(target)} names is trusted here`, {
      hint: 'List what is trusted with: kairos trust --list',
    });
  }
  const { output } = call;
  if (output.json) output.object({ revoked });
  else for (const digest of revoked) output.print(`no longer trusted  ${digest}`);
  return EXIT.ok;
}

async function matcher(
  call: Call<[string | undefined]>,
  text: string,
): Promise<(record: TrustRecord) => boolean> {
  if (/^[0-9a-f]{64}$/.test(text)) return ({ digest }) => digest === text;
  const target = readTarget(text);
  if (target.kind === 'slug') return ({ slug }) => slug === target.slug;
  if (target.kind === 'uri') {
    const { chainId } = await withContext(call, {}, (ctx) => resolveUri(ctx, target.uri));
    return (record) => record.chainId === chainId;
  }
  const { space } = await openHost(call);
  const { chains } = await readChains(target.path, space, call.io);
  return ({ slug, digest }) => chains.some((chain) => chain.digest === digest || chain.content.slug === slug);
}
