import { dump } from '../../../operations/dump.ts';
import { revisionOf, storedTarget } from '../../../operations/target.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/**
 * `kairos dump`: plain markdown, ready for redirection. A slug names a protocol, so the whole protocol is
 * printed.
 */
export const dumpCommand: Handler<[string], DumpOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, output } = call;
    const target = storedTarget(args[0]);
    const uri = target.kind === 'uri' ? target.uri : stepUri((await revisionOf(ctx, target)).chainId, 1);
    const answer = await dump(ctx, { uri, protocol: options.protocol === true || target.kind === 'slug' });
    if (output.json) output.object(answer);
    else
      output.document(answer.markdown_doc.endsWith('\n') ? answer.markdown_doc : `${answer.markdown_doc}\n`);
    return EXIT.ok;
  });

export interface DumpOptions {
  protocol?: boolean;
}
