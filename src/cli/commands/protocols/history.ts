import { KairosError } from '../../../base/errors.ts';
import { pickRevision, revisionsOf, storedTarget } from '../../../operations/target.ts';
import { renderChain } from '../../../protocol/render.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { unifiedDiff } from '../../views/diff.ts';

/** `kairos diff`. With `--json`: `{a, b, diff}`, the digests and the text. */
export const diffCommand: Handler<[string, string | undefined, string | undefined], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output } = call;
    const [target, a, b] = args;
    const revisions = await revisionsOf(ctx, storedTarget(target));
    const listed = revisions.filter(({ number }) => number > 0);
    const newer = b === undefined ? listed.at(-1) : pickRevision(revisions, b);
    const older = a === undefined ? listed.at(-2) : pickRevision(revisions, a);
    if (newer === undefined || older === undefined) {
      throw new KairosError('NOT_FOUND', `${JSON.stringify(target)} has one revision only`, {
        hint: 'There is nothing to compare it with yet.',
      });
    }
    const diff = unifiedDiff(newer.content.slug, renderChain(older.content), renderChain(newer.content));
    if (output.json) output.object({ a: older.digest, b: newer.digest, diff });
    else if (diff === '') output.print('The two revisions do not differ.');
    else output.document(diff);
    return EXIT.ok;
  });

/** `kairos log`. With `--json`: `{revisions[]}`, newest first. */
export const logCommand: Handler<[string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output } = call;
    const revisions = (await revisionsOf(ctx, storedTarget(args[0]))).toReversed();
    if (output.json) {
      output.object({
        revisions: revisions.map(({ number, digest, createdAt, author, llmModelId, weakened, content }) => ({
          number,
          digest,
          created_at: createdAt,
          author,
          llm_model_id: llmModelId,
          weakened,
          title: content.title,
          version: content.version,
          steps: content.steps.length,
        })),
      });
      return EXIT.ok;
    }
    const heads = ['REVISION', 'DIGEST', 'STORED', 'BY', 'STEPS', ''].map((head) => ({ head }));
    const rows = revisions.map(({ number, digest, createdAt, author, weakened, content }) => [
      number === 0 ? 'unlisted' : String(number),
      digest.slice(0, 12),
      createdAt,
      author,
      String(content.steps.length),
      weakened === null ? '' : `weakened: ${weakened}`,
    ]);
    output.print(await table(heads, rows, { color: output.color }));
    return EXIT.ok;
  });
