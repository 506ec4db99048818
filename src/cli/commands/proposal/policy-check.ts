import { loadPolicy, policyPath } from '../../../host/settings/policy-file.ts';
import type { Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

/** `kairos proposal policy check`. One that cannot be used is an error; without any, only evidence can permit. */
export const policyCheckCommand: Handler<[string | undefined], unknown> = async (call) => {
  const { io, output, args } = call;
  const { folders } = await openHost(call);
  const source = { folders, chosen: args[0], cwd: io.cwd };
  const loaded = await loadPolicy(source);
  const path = policyPath(source);
  if (output.json) {
    output.object({ path, digest: loaded?.digest ?? null, policy: loaded?.policy ?? null });
  } else if (loaded === null) {
    output.print(await keyValues([['policy', `none; it would be ${path}`]], output));
  } else {
    const { policy, digest } = loaded;
    output.print(
      await keyValues(
        [
          ['policy', path],
          ['digest', digest],
          ['rules', String(policy.rules.length)],
          ['approvers', policy.approvers.map(({ name }) => name).join(', ') || 'none'],
          ['terminal', policy.approvals.terminal ? 'counts for class single' : 'does not count'],
        ],
        output,
      ),
    );
  }
  return EXIT.ok;
};
