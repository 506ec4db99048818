import type { TrustRecord } from '../../../run/ports.ts';
import type { Call } from '../../command.ts';
import { openHost } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';

/** What is trusted here, newest first. With `--json`: `{trusted[] {digest, slug, title, chain_id, trusted_at, by}}`. */
export async function listTrust(call: Pick<Call, 'options' | 'io' | 'output'>): Promise<number> {
  const { trust } = await openHost(call);
  const records = await trust.list();
  const { output } = call;
  if (output.json) output.object({ trusted: records.map(trustObject) });
  else if (records.length === 0) output.print('Nothing is trusted here yet.');
  else {
    const rows = records.map(({ digest, slug, trustedAt, by, title }) => [
      digest,
      slug,
      trustedAt,
      by,
      title,
    ]);
    const heads = ['DIGEST', 'SLUG', 'TRUSTED AT', 'BY', 'TITLE'].map((head) => ({ head }));
    output.print(await table(heads, rows, { color: output.color }));
  }
  return EXIT.ok;
}

/** A trust record as `--json` prints it. */
export function trustObject({ digest, slug, title, chainId, trustedAt, by }: TrustRecord) {
  return { digest, slug, title, chain_id: chainId, trusted_at: trustedAt, by };
}
