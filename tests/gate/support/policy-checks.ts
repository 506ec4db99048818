import { POLICY_CHECKS } from '../../../src/host/settings/policy-file.ts';
import { lazy, withLazyModules } from '../../../src/protocol/late.ts';

/** What judges a policy, loaded: it can be read at once. */
export async function policyChecks(): Promise<typeof POLICY_CHECKS> {
  await withLazyModules(() => [lazy('patterns'), lazy('jsonSchemas')]);
  return POLICY_CHECKS;
}
