import { asksText } from '../../../gate/policy/rule-for.ts';
import type { Policy } from '../../../gate/policy/schema.ts';
import { loadPolicy, policyPath } from '../../../host/settings/policy-file.ts';
import { keysOf } from '../../../operations/proposals.ts';
import type { Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

/** `kairos policy check`. One that can't be used is an error. Without any only evidence can permit, and the exit code is 1. */
export const policyCheckCommand: Handler<[string | undefined], unknown> = async (call) => {
  const { io, output, args } = call;
  const { folders } = await openHost(call);
  const source = { folders, chosen: args[0], cwd: io.cwd };
  const loaded = await loadPolicy(source);
  const path = policyPath(source);
  if (output.json) {
    output.object({ path, digest: loaded?.digest ?? null, policy: loaded?.policy ?? null });
  } else if (loaded === null) {
    output.print(await keyValues([['policy', `none; kairos looks for it at ${path}`]], output));
  } else {
    const { policy, digest } = loaded;
    output.print(
      await keyValues(
        [
          ['policy', path],
          ['digest', digest],
          ...policy.rules.map((rule): [string, string] => ['rule', `${rule.name}: ${asksText(rule)}`]),
          ...approverRows(policy, io.now()),
          ['terminal', policy.approvals.terminal ? 'counts for class single' : 'does not count'],
        ],
        output,
      ),
    );
  }
  return loaded === null ? EXIT.failed : EXIT.ok;
};

/** Everybody with the keys that count now, and why the others don't. */
function approverRows(policy: Policy, now: number): [string, string][] {
  if (policy.approvers.length === 0) return [['approvers', 'none']];
  return policy.approvers.map((approver) => {
    const { usable, problems } = keysOf(approver, now, policy);
    const text = `${approver.name}: ${usable} usable key${usable === 1 ? '' : 's'}${problems.length === 0 ? '' : ` (${problems.join(', ')})`}`;
    return ['approver', text];
  });
}
