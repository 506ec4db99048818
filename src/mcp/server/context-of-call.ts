import type { ServerContext } from '@modelcontextprotocol/server';
import type { Caller, OperationContext } from '../../operations/context.ts';
import type { Capabilities } from '../elicitation/capabilities.ts';
import { driversFor } from '../elicitation/plan.ts';
import { clientRoots } from '../elicitation/roots.ts';
import type { ServerServices } from './services.ts';

/** The context of one call: what its client can be asked for decides which assurance is within reach, and which folders. */
export function contextOfCall(
  { director, log }: ServerServices,
  ctx: OperationContext,
  request: ServerContext,
  { can, modern }: { can: Capabilities; modern: boolean },
): OperationContext {
  const reach: Caller['reach'] = {
    ...ctx.caller.reach,
    ...(driversFor(director.settings, can).length > 0 ? { user_input: 'client' as const } : {}),
    ...(can.sampling ? { sampling: 'client' as const } : {}),
  };
  const caller = { ...ctx.caller, reach };
  // In the revision of 2026-07-28 a server cannot ask for roots without breaking off the call, and they are on their way out.
  if (!can.roots || modern) return { ...ctx, caller };
  const roots = clientRoots(request, log);
  const { policy } = ctx;
  return {
    ...ctx,
    caller,
    roots,
    // A policy is never chosen from a folder that the client works in.
    ...(policy === undefined ? {} : { policy: () => policy(roots) }),
  };
}
