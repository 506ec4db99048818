import { KairosError } from '../../../base/errors.ts';
import { caseInput } from '../../../gate/policy/cases.ts';
import { explainPolicy, explanationRows, type PolicyExplanation } from '../../../gate/policy/explain.ts';
import type { LoadedPolicy } from '../../../gate/policy/schema.ts';
import { loadPolicy } from '../../../host/settings/policy-file.ts';
import { gateEnvOf } from '../../../operations/run/gate-env.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import { loadTools } from '../../../proof/tools.ts';
import { gateInputFor } from '../../../run/decide/answer.ts';
import { askGate, currentProposal } from '../../../run/decide/guard.ts';
import { proposalBy } from '../../../run/gate-state.ts';
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
  if (run === undefined) return explainAction(call);
  if (given.length > 0)
    throw new KairosError(
      'USAGE',
      `${OPTIONS[given[0] as keyof ExplainOptions]} is for an action without a run`,
      {
        hint: 'Name a run, or describe an action.',
      },
    );
  return withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await storedRun(ctx, run);
    const { state } = (await loadRun(ctx, runId))!;
    const proposal = hash === undefined ? currentProposal(state) : proposalBy(state.gate, hash);
    const gate = await gateEnvOf(ctx, state);
    const input = proposal === null ? null : gateInputFor(state, proposal, gate, ctx.clock());
    if (input === null)
      throw new KairosError('NOT_FOUND', `run ${runId} has no such proposal that could still be used`, {
        hint: `See its proposals with: ${ctx.commandLine(['proposal', 'list', runId])}`,
      });
    return put(call, gate.policy, explainPolicy(input, askGate(input, gate)));
  });
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
async function explainAction(call: Call<unknown[], ExplainOptions>): Promise<number> {
  const { options, io } = call;
  const lacking = (['action', 'resourceType', 'resourceId', 'domain'] as const).filter(
    (key) => options[key] === undefined,
  );
  if (lacking.length > 0)
    throw new KairosError(
      'USAGE',
      `Name a run, or describe the action: ${lacking.map((key) => OPTIONS[key]).join(', ')} missing`,
      {
        hint: 'For example: kairos policy explain --action delete --resource-type database --resource-id main --domain prod.example',
      },
    );
  const { folders, actor } = await openHost(call);
  const loaded = await loadPolicy({ folders, chosen: options.policy, cwd: io.cwd });
  if (loaded === null)
    throw new KairosError('POLICY_UNUSABLE', 'there is no policy to explain', {
      hint: 'kairos policy check shows where it is looked for.',
    });
  const at = options.at === undefined ? io.now() : Date.parse(options.at);
  if (Number.isNaN(at))
    throw new KairosError(
      'USAGE',
      `Invalid instant ${JSON.stringify(options.at)}. Expected one like 2026-01-31T09:00:00+01:00.`,
    );
  const parts = {
    now: new Date(at).toISOString(),
    actor: options.actor ?? actor,
    template: { effects: options.effect ?? [] },
    proposal: {
      action_type: options.action,
      target: {
        resource_type: options.resourceType,
        resource_id: options.resourceId,
        domain: options.domain,
        constraints: {},
      },
      preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
    },
    evidence: [{ step: 1, type: 'shell' as const, assurance: 'attested' as const, fields: { exit_code: 0 } }],
  };
  const built = caseInput(parts, loaded, await loadTools({ patterns: true, schemas: true }));
  if ('problem' in built) throw new KairosError('INVALID_INPUT', built.problem);
  return put(call, loaded, explainPolicy(built.input));
}

async function put(
  { output }: Pick<Call<unknown[]>, 'output'>,
  policy: LoadedPolicy | null,
  explanation: PolicyExplanation,
): Promise<number> {
  const origin = policy?.origin ?? null;
  if (output.json) output.object({ policy: origin, digest: policy?.digest ?? null, ...explanation });
  else output.print(await keyValues([['policy', origin ?? 'none'], ...explanationRows(explanation)], output));
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
