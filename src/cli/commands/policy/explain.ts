import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { loadPolicy } from '../../../host/settings/policy-file.ts';
import { type ExplainedPolicy, explainAction, explainProposal } from '../../../operations/policy.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

/** `kairos policy explain`. With `--json`: the explanation as one object. */
export const policyExplainCommand: Handler<[string | undefined, string | undefined], ExplainOptions> = async (
  call,
) => {
  const [run, hash] = call.args;
  const given = Object.keys(OPTIONS).filter((key) => call.options[key as keyof ExplainOptions] !== undefined);
  if (run === undefined) return explainOptions(call);
  if (given.length > 0)
    throw new KairosError(
      'USAGE',
      `${OPTIONS[given[0] as keyof ExplainOptions]} is for an action without a run`,
      {
        hint: 'Name a run, or describe an action.',
      },
    );
  return withContext(call, { onRun: true }, async (ctx) => put(call, await explainProposal(ctx, run, hash)));
};

const OPTIONS: Readonly<Record<keyof ExplainOptions, string>> = {
  action: '--action',
  resourceType: '--resource-type',
  resourceId: '--resource-id',
  domain: '--domain',
  actor: '--actor',
  effect: '--effect',
  at: '--at',
};

/** Explains an action that is not proposed. Evidence counts as given. */
async function explainOptions(call: Call<unknown[], ExplainOptions>): Promise<number> {
  const { options, io } = call;
  const lacking = (['action', 'resourceType', 'resourceId', 'domain'] as const).filter(
    (key) => options[key] === undefined,
  );
  if (lacking.length > 0)
    throw new KairosError(
      'USAGE',
      `Name a run, or describe the action: ${lacking.map((key) => OPTIONS[key]).join(', ')} missing`,
      {
        hint: `For example: ${programName()} policy explain --action delete --resource-type database --resource-id main --domain prod.example`,
      },
    );
  const { folders, identity } = await openHost(call);
  const loaded = await loadPolicy({
    folders,
    chosen: options.policy,
    cwd: io.cwd,
    anywhere: true,
    now: io.now(),
  });
  if (loaded === null)
    throw new KairosError('POLICY_UNUSABLE', 'there is no policy to explain', {
      hint: `${programName()} policy check shows where it is looked for.`,
    });
  const at = options.at === undefined ? io.now() : Date.parse(options.at);
  if (Number.isNaN(at))
    throw new KairosError(
      'USAGE',
      `Invalid instant ${JSON.stringify(options.at)}. Expected one like 2026-01-31T09:00:00+01:00.`,
    );
  const described = {
    action: options.action!,
    resourceType: options.resourceType!,
    resourceId: options.resourceId!,
    domain: options.domain!,
    actor: options.actor ?? identity,
    effects: options.effect ?? [],
    at,
  };
  return put(call, await explainAction(loaded, described));
}

async function put(
  { output }: Pick<Call<unknown[]>, 'output'>,
  { policy, explanation, rows }: ExplainedPolicy,
): Promise<number> {
  const origin = policy?.origin ?? null;
  if (output.json) output.object({ policy: origin, digest: policy?.digest ?? null, ...explanation });
  else output.print(await keyValues([['policy', origin ?? 'none'], ...rows], output));
  return EXIT.ok;
}

export interface ExplainOptions {
  action?: string;
  resourceType?: string;
  resourceId?: string;
  domain?: string;
  actor?: string;
  effect?: string[];
  at?: string;
}
