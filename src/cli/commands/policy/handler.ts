import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { PolicyCaseResult } from '../../../gate/policy/cases.ts';
import type { LoadedPolicy, Policy } from '../../../gate/policy/schema.ts';
import { readSource, requireOneStdin, sourceName } from '../../../host/files/read-source.ts';
import { loadPolicy, POLICY_FILES, policyPath, readPolicyText } from '../../../host/settings/policy-file.ts';
import {
  type ExplainedPolicy,
  explainAction,
  explainProposal,
  readCases,
  ruleRows,
  tryCases,
} from '../../../operations/policy.ts';
import { keysOf } from '../../../operations/proposals.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';
import { namedRun } from '../../views/run.ts';

/** A file of cases with their results. */
interface TestedFile {
  file: string;
  policy: string;
  digest: string;
  cases: PolicyCaseResult[];
  /** Names of rules that no case is covered by. */
  untested_rules: string[];
}

/** `kairos policy test`. With `--json`: `{files[], passed, failed}`. */
export const policyTestCommand: Handler<[string[]], unknown> = async (call) => {
  const { args, output } = call;
  requireOneStdin(args[0]);
  // All files are read before any case is tried: an invalid one isn't a failed case.
  const files: TestedFile[] = [];
  for (const file of args[0]) files.push(await tested(call, file));
  const cases = files.flatMap((one) => one.cases);
  const failed = cases.filter(({ passed }) => !passed).length;
  if (output.json) output.object({ files, passed: cases.length - failed, failed });
  else {
    for (const one of files) printFile(call, one);
    const summary = `${cases.length} case${cases.length === 1 ? '' : 's'}: ${cases.length - failed} passed, ${failed} failed.`;
    output.print(failed === 0 ? output.color.green(summary) : output.color.red(summary));
  }
  return failed === 0 ? EXIT.ok : EXIT.failed;
};

async function tested(call: Call<[string[]]>, file: string): Promise<TestedFile> {
  const { io } = call;
  const suite = readCases(file, await readSource(file, io));
  const folder = file === '-' ? io.cwd : dirname(resolve(io.cwd, file));
  const loaded = await policyBeside(call, folder, suite.policy, file);
  const { results, untested } = await tryCases(suite, loaded, (name) =>
    readSource(resolve(folder, name), io),
  );
  return { file, policy: loaded.origin!, digest: loaded.digest, cases: results, untested_rules: untested };
}

/** `--policy`, else what the file names, else the policy in its folder. Where it is kept doesn't matter here. */
async function policyBeside(
  { options, io }: Call<[string[]]>,
  folder: string,
  named: string | null,
  file: string,
): Promise<LoadedPolicy> {
  const path =
    options.policy !== undefined
      ? resolve(io.cwd, options.policy)
      : named !== null
        ? resolve(folder, named)
        : POLICY_FILES.map((name) => join(folder, name)).find((one) => existsSync(one));
  if (path === undefined)
    throw new KairosError(
      'INVALID_INPUT',
      `${sourceName(file)} names no policy, and its folder has no kairos.policy.yaml`,
      { hint: 'Name it with policy: FILE in the file of cases, or with --policy FILE.' },
    );
  const text = await readSource(path, io);
  return readPolicyText(path, text).catch((error: unknown) => {
    // Here it is a given file, not a failed case.
    if (!(error instanceof KairosError)) throw error;
    throw new KairosError('INVALID_INPUT', error.message, {
      hint: `${programName()} schema policy prints what a policy may contain.`,
      cause: error,
    });
  });
}

function printFile({ output }: Call<[string[]]>, { file, policy, cases, untested_rules }: TestedFile): void {
  const { color } = output;
  output.print(color.bold(`${escapeForTerminal(sourceName(file))} on ${escapeForTerminal(policy)}`));
  for (const { name, passed, problems, reasons } of cases) {
    output.print(`  ${passed ? color.green('pass') : color.red('FAIL')}  ${escapeForTerminal(name)}`);
    if (passed) continue;
    for (const problem of problems) output.print(`          ${escapeForTerminal(problem)}`);
    for (const { code, pointer, message } of reasons)
      output.print(`          ${[code, escapeForTerminal(pointer), message].filter(Boolean).join(' ')}`);
  }
  if (untested_rules.length > 0)
    output.note(
      `No case is covered by ${untested_rules.length === 1 ? 'rule' : 'rules'} ${untested_rules.join(', ')}.`,
    );
}

/**
 * `kairos policy check`. One that can't be used is an error; a named file may lie in a project, where a team keeps it. Without any
 * only evidence can permit, and the exit code is 1.
 */
export const policyCheckCommand: Handler<[string | undefined], unknown> = async (call) => {
  const { io, output, args } = call;
  const { folders } = await openHost(call);
  const source = { folders, chosen: args[0], cwd: io.cwd, now: io.now() };
  const isNamed = args[0] !== undefined;
  const loaded = await loadPolicy({ ...source, anywhere: isNamed });
  const path = policyPath(source);
  const refused = isNamed
    ? await loadPolicy(source).then(
        () => null,
        (error: Error) => error.message,
      )
    : null;
  if (output.json) {
    output.object({
      path,
      digest: loaded?.digest ?? null,
      policy: loaded?.policy ?? null,
      refused_here: refused,
    });
  } else if (loaded === null) {
    output.print(await keyValues([['policy', `none; kairos looks for it at ${path}`]], output));
  } else {
    const { policy, digest } = loaded;
    output.print(
      await keyValues(
        [
          ['policy', path],
          ['digest', digest],
          ...ruleRows(policy).map((text): [string, string] => ['rule', text]),
          ...approverRows(policy, io.now()),
          [
            'terminal',
            policy.approvals.terminal
              ? 'an answer that is typed at a terminal counts where one person is enough'
              : 'an answer that is typed at a terminal does not count',
          ],
          ...(refused === null ? [] : [['not usable here', refused] as [string, string]]),
        ],
        output,
      ),
    );
  }
  return loaded === null ? EXIT.failed : EXIT.ok;
};

/** Each approver with the keys that count now, and why the others don't. */
function approverRows(policy: Policy, now: number): [string, string][] {
  if (policy.approvers.length === 0) return [['approvers', 'none']];
  return policy.approvers.map((approver) => {
    const { usable, problems } = keysOf(approver, now, policy);
    const text = `${approver.name}: ${usable} usable key${usable === 1 ? '' : 's'}${problems.length === 0 ? '' : ` (${problems.join(', ')})`}`;
    return ['approver', text];
  });
}

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
      { hint: 'Name a run, or describe an action.' },
    );
  return withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await namedRun(ctx, call.output, run);
    return put(call, await explainProposal(ctx, runId, hash));
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

/** Explains an action without a proposal. Evidence counts as given. */
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
    throw new KairosError('USAGE', `--at is ${JSON.stringify(options.at)}, which is not an instant`, {
      hint: 'Give one like 2026-01-31T09:00:00+01:00.',
    });
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
