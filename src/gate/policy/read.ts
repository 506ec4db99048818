import { keyIdentity } from '../approval/key.ts';
import { policyDigest } from '../hashes.ts';
import { checkJsonValue } from '../json/check.ts';
import { FIELD_CONSTRAINTS } from '../rules/field-constraints.ts';
import { type LoadedPolicy, type Policy, policySchema } from './schema.ts';

/** One thing that keeps a policy from being used. `path` in the words of the file, for example `rules.0.match`. */
export interface PolicyProblem {
  path: string;
  message: string;
}

export type PolicyReading = { ok: true; loaded: LoadedPolicy } | { ok: false; problems: PolicyProblem[] };

/** A parsed `kairos.policy.yaml` as a policy, or everything that is wrong with it. Nothing is guessed or left out. */
export function readPolicy(value: unknown): PolicyReading {
  const foreign = checkJsonValue(value);
  if (foreign.length > 0)
    return {
      ok: false,
      problems: foreign.map(({ pointer, message }) => ({
        path: pointer.slice(1).replaceAll('/', '.'),
        message,
      })),
    };
  const result = policySchema.safeParse(value);
  if (!result.success) {
    return {
      ok: false,
      problems: result.error.issues.map((issue) => ({
        path: issue.path.join('.'),
        message:
          issue.code === 'unrecognized_keys' ? `Unknown: ${issue.keys.join(', ')}.` : `${issue.message}.`,
      })),
    };
  }
  const policy = result.data;
  const problems = [...approverProblems(policy), ...ruleProblems(policy), ...otherProblems(policy)];
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, loaded: { policy, digest: policyDigest(policy) } };
}

function approverProblems({ approvers }: Policy): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const names = new Set<string>();
  const keys = new Set<string>();
  const actors = new Set<string>();
  for (const [at, approver] of approvers.entries()) {
    const path = `approvers.${at}`;
    if (names.has(approver.name)) problems.push({ path, message: 'This name stands twice.' });
    names.add(approver.name);
    for (const [index, { key, valid_from: from, valid_until: until }] of approver.keys.entries()) {
      const identity = keyIdentity(key);
      if (keys.has(identity))
        problems.push({
          path: `${path}.keys.${index}`,
          message: "This key stands twice; it is one person's.",
        });
      keys.add(identity);
      if (from !== undefined && until !== undefined && Date.parse(from) >= Date.parse(until))
        problems.push({ path: `${path}.keys.${index}`, message: 'valid_from is not before valid_until.' });
    }
    for (const actor of approver.actors) {
      if (actors.has(actor)) problems.push({ path: `${path}.actors`, message: 'An account stands twice.' });
      actors.add(actor);
    }
  }
  return problems;
}

function ruleProblems({ rules, approvers }: Policy): PolicyProblem[] {
  const names = new Set(approvers.map(({ name }) => name));
  return rules.flatMap(({ threshold, approval_class }, at): PolicyProblem[] => {
    const path = `rules.${at}`;
    if (approval_class === 'threshold' && threshold === undefined)
      return [{ path, message: 'Class threshold needs threshold: {n, of}.' }];
    if (threshold === undefined) return [];
    const of = new Set(threshold.of);
    return [
      ...(of.size < threshold.n
        ? [{ path: `${path}.threshold`, message: 'n is larger than the number of names.' }]
        : []),
      ...[...of]
        .filter((name) => !names.has(name))
        .map(() => ({ path: `${path}.threshold.of`, message: 'A name is no approver of this policy.' })),
    ];
  });
}

function otherProblems({ tools, constraints }: Policy): PolicyProblem[] {
  const seen = new Set<string>();
  return [
    ...tools.flatMap(({ tool_name }, at) => {
      if (!seen.has(tool_name)) {
        seen.add(tool_name);
        return [];
      }
      return [{ path: `tools.${at}`, message: 'This tool is mapped twice.' }];
    }),
    ...FIELD_CONSTRAINTS.filter((name) => Object.hasOwn(constraints, name)).map((name) => ({
      path: `constraints.${name}`,
      message: 'This constraint has its own meaning.',
    })),
  ];
}
