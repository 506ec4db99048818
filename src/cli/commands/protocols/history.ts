import { localTime } from '../../../base/duration.ts';
import { logProtocol, pickTwoRevisions } from '../../../operations/target.ts';
import { renderChain } from '../../../protocol/render.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { unifiedDiff } from '../../views/diff.ts';

/** `kairos diff`. With `--json`: `{a, b, diff}`, the digests and the text. */
export const diffCommand: Handler<[string, string | undefined, string | undefined], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output, io } = call;
    const { older, newer } = await pickTwoRevisions(ctx, args, io);
    const diff = unifiedDiff(newer.content.slug, renderChain(older.content), renderChain(newer.content));
    if (output.json) output.object({ a: older.digest, b: newer.digest, diff });
    else if (diff === '') output.print('The two revisions do not differ.');
    else output.document(diff);
    return EXIT.ok;
  });

/** `kairos log`. With `--json`: `{revisions[]}`, newest first. */
export const logCommand: Handler<[string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output, io } = call;
    const revisions = await logProtocol(ctx, args[0], io);
    if (output.json) {
      output.object({ revisions });
      return EXIT.ok;
    }
    const heads = ['REVISION', 'DIGEST', 'STORED', 'BY', 'STEPS', ''].map((head) => ({ head }));
    const rows = revisions.map(({ number, digest, created_at, author, weakened, steps }) => [
      number === 0 ? 'unlisted' : String(number),
      digest.slice(0, 12),
      localTime(created_at),
      author,
      String(steps),
      weakened === null ? '' : `weakened: ${weakened}`,
    ]);
    output.print(await table(heads, rows, { color: output.color }));
    return EXIT.ok;
  });
