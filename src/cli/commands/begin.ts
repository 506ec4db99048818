import { begin } from '../../operations/begin.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import type { Handler } from '../command.ts';
import { withContext } from '../context.ts';
import type { BeginOptions } from '../definitions/begin.ts';
import { storedTarget } from '../target.ts';
import { answerWalk } from './answer-walk.ts';

/** `kairos begin`: makes a run and shows its first step. */
export const beginCommand: Handler<[string], BeginOptions> = (call) => {
  const target = storedTarget(call.args[0]);
  const { resume, requireTrust } = call.options;
  return withContext(call, { requireTrust }, async (ctx) => {
    const named = target.kind === 'uri' ? { uri: target.uri } : { key: target.slug };
    // Only a `query` is answered as a search, and none is given here.
    const answer = (await begin(ctx, { ...named, resume })) as WalkFields;
    return answerWalk(ctx, call, answer);
  });
};
