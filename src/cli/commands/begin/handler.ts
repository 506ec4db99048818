import { KairosError } from '../../../base/errors.ts';
import { begin } from '../../../operations/begin.ts';
import type { WalkFields } from '../../../run/walk-fields.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { storedTarget } from '../../target.ts';
import { answerWalk } from '../answer-walk.ts';

/** `kairos begin`: creates a run and shows its first step. */
export const beginCommand: Handler<[string | undefined], BeginOptions> = async (call) => {
  const [named] = call.args;
  const { resume, requireTrust } = call.options;
  if (named === undefined && resume !== true) {
    throw new KairosError('USAGE', "missing required argument 'target'", {
      hint: 'Name a protocol, or resume the run that was handed over: kairos begin --resume',
    });
  }
  const target = named === undefined ? null : storedTarget(named);
  return withContext(call, { requireTrust }, async (ctx) => {
    const which = target === null ? {} : target.kind === 'uri' ? { uri: target.uri } : { key: target.slug };
    // Only a `query` returns search results, and this call has none.
    const answer = (await begin(ctx, { ...which, resume })) as WalkFields;
    return answerWalk(ctx, call, answer);
  });
};

export interface BeginOptions {
  resume?: boolean;
  requireTrust?: boolean;
}
