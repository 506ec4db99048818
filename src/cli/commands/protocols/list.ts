import { stepUri } from '../../../protocol/identity.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';

/** `kairos list`. With `--json`: `{chains[] {uri, slug, title, version, tags, step_count, digest, revision, space, updated_at}}`. */
export const listCommand: Handler<[], unknown> = (call) =>
  withContext(call, {}, async ({ store, caller, commandLine }) => {
    const { output } = call;
    const chains = (await store.listChains([caller.space])).map((chain) => ({
      uri: stepUri(chain.chainId, 1),
      slug: chain.slug,
      title: chain.title,
      version: chain.version,
      tags: chain.tags,
      step_count: chain.stepCount,
      digest: chain.digest,
      revision: chain.revision,
      space: chain.space,
      updated_at: chain.updatedAt,
    }));
    if (output.json) output.object({ chains });
    else if (chains.length === 0) {
      output.print(`No protocols yet. Store one with: ${commandLine(['mint', 'FILE'])}`);
    } else {
      const rows = chains.map(({ slug, title, step_count, version }) => [
        slug,
        title,
        String(step_count),
        version ?? '',
      ]);
      const { color } = output;
      output.print(
        await table(
          [
            { head: 'SLUG', style: color.cyan },
            { head: 'TITLE' },
            { head: 'STEPS', align: 'right' },
            { head: 'VERSION' },
          ],
          rows,
          { color },
        ),
      );
    }
    return EXIT.ok;
  });
