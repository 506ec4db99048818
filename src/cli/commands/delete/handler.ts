import { deleteChains } from '../../../operations/delete.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { tellResults } from '../outcomes.ts';

/** `kairos delete`. */
export const deleteCommand: Handler<[string[]], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const [uris] = call.args;
    return tellResults(await deleteChains(ctx, { uris }), call.output);
  });
