import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { storedTarget } from '../../target.ts';
import { table } from '../../terminal/layout.ts';
import { revisionsOf } from '../revision.ts';

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
