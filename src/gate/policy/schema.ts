import * as z from 'zod/mini';
import { APPROVAL_CLASSES, assuranceSchema } from '../../protocol/schema.ts';
import { ACTION_TYPES, DAYS } from '../../protocol/terms.ts';
import { about, targetSchema } from '../proposal.ts';

/**
 * `kairos.policy.yaml`: who may request what, what it requires, and who may approve. A policy permits only
 * what it names. Descriptions here are the hovers of editors and the reference page.
 */
const nonEmpty = () => z.string().check(z.minLength(1));
const duration = () => z.int().check(z.gte(1));
const instant = () => z.iso.datetime({ offset: true });
const some = <T extends z.ZodMiniType>(item: T) => z.array(item).check(z.minLength(1));
const oneOrSome = <T extends z.ZodMiniType>(item: T) => z.union([item, some(item)]);
const personName = () => z.string().check(z.regex(/^[A-Za-z0-9._@+-]{1,64}$/));

/** One public key of an approver. Whether it can be used at all is checked when the policy is read. */
export const approverKeySchema = z.strictObject({
  key: about(nonEmpty(), 'The line that ssh-keygen writes into a .pub file. Not a certificate.'),
  valid_from: about(z.optional(instant()), 'RFC 3339 with a zone. Signatures count from this instant on.'),
  valid_until: about(
    z.optional(instant()),
    'RFC 3339 with a zone. From this instant on the key approves nothing.',
  ),
  revoked: about(
    z._default(z.boolean(), false),
    'true: the key approves nothing more. What it denied stays denied.',
  ),
});

export const approverSchema = z.strictObject({
  name: about(personName(), 'Names a person. A person may have several keys and counts once.'),
  actors: about(
    z._default(z.array(nonEmpty()), []),
    "OS users and bearer identities of this person. This person can't approve their proposals.",
  ),
  keys: about(z._default(z.array(approverKeySchema), []), 'Public SSH keys of this person.'),
});

const names = (what: string) =>
  about(
    z.optional(oneOrSome(nonEmpty())),
    `${what}: a value, a list of values, or RE2 patterns that begin with ~ and match the whole text. Letter case doesn't matter. Left out: any.`,
  );

/** What a rule covers. What it leaves out it doesn't look at. */
export const matchSchema = z.strictObject({
  action_types: about(
    z.optional(oneOrSome(z.enum(ACTION_TYPES))),
    'Actions that the rule covers. Left out: any.',
  ),
  resource_type: names('Type of the target'),
  resource_id: names('Id of the target'),
  domain: names('Domain of the target'),
});

const clock = () => z.string().check(z.regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$/));

export const windowSchema = z.strictObject({
  days: about(z.optional(some(z.enum(DAYS))), 'Days of the week. Left out: every day.'),
  from: about(z._default(clock(), '00:00'), 'Local time, HH:MM.'),
  until: about(z._default(clock(), '24:00'), 'Local time, HH:MM, not included. 24:00 is the end of the day.'),
  time_zone: about(nonEmpty(), 'Name of the IANA time zone, for example Europe/Vienna.'),
});

export const thresholdSchema = z.strictObject({
  n: about(z.optional(z.int().check(z.gte(1))), 'How many people. Left out: the sum of the groups.'),
  of: about(
    z.optional(some(nonEmpty())),
    'Names of approvers and of groups who count. Left out: the members of the groups.',
  ),
  groups: about(
    z.optional(z.record(nonEmpty(), z.int().check(z.gte(1)))),
    'How many of them at least have to be members of a group, by its name.',
  ),
});

export const ruleSchema = z.strictObject({
  name: about(z.optional(personName()), 'Name of the rule for people.'),
  match: about(matchSchema, 'The actions of the rule. All rules that match an action apply together.'),
  approval_class: about(
    z.optional(z.enum(APPROVAL_CLASSES)),
    'The lowest class: none, single (1 person), dual (2) or threshold (see there). A threshold sets it.',
  ),
  threshold: about(z.optional(thresholdSchema), 'A quorum: how many people of whom.'),
  actors: about(z.optional(some(nonEmpty())), 'Who may propose. Left out: every actor.'),
  allowed_effects: about(
    z.optional(z.array(nonEmpty())),
    'Effects that are allowed at all. Left out: any that the template names.',
  ),
  forbidden_effects: about(z._default(z.array(nonEmpty()), []), 'Effects that are refused.'),
  windows: about(z.optional(some(windowSchema)), 'When it may be done. Left out: at any time.'),
  freshness_ms: about(
    z.optional(duration()),
    'Maximum age of evidence in milliseconds; a binding may ask for less.',
  ),
  evidence_assurance: about(
    z.optional(assuranceSchema),
    'The least assurance of evidence. Left out: observed, and client for what a person answered.',
  ),
  evidence_optional: about(
    z._default(z.boolean(), false),
    'true: class none is enough even without evidence.',
  ),
});

export const policySchema = z.strictObject({
  version: about(z.literal(1), 'Version of this format: 1.'),
  approvers: about(z._default(z.array(approverSchema), []), 'The people who may approve.'),
  groups: about(
    z.optional(z.record(personName(), some(nonEmpty()))),
    'Groups of approvers, by name, for thresholds.',
  ),
  approvals: about(
    z._default(
      z.strictObject({
        ttl_ms: about(z._default(duration(), 3_600_000), 'How long an approval counts, in milliseconds.'),
        terminal: about(
          z._default(z.boolean(), false),
          'true: a yes typed at the terminal counts for class single.',
        ),
        hardware_keys: about(
          z._default(z.boolean(), false),
          'true: only keys of security keys (sk-…) count.',
        ),
      }),
      { ttl_ms: 3_600_000, terminal: false, hardware_keys: false },
    ),
    'How approvals count.',
  ),
  rules: about(
    z._default(z.array(ruleSchema), []),
    'What is permitted, and under which conditions. Without a matching rule, a proposal is denied.',
  ),
  tools: about(
    z._default(
      z.array(
        z.strictObject({
          tool_name: about(nonEmpty(), 'Name of the tool in a KernelRequest.'),
          action_type: about(z.enum(ACTION_TYPES), 'The action that the tool is.'),
          target: about(targetSchema, 'What the tool acts on.'),
        }),
      ),
      [],
    ),
    'The actions and targets of tools in a KernelRequest.',
  ),
  constraints: about(
    z._default(
      z.record(
        z.string(),
        z.strictObject({
          value: about(
            z._default(z.record(z.string(), z.json()), {}),
            "JSON Schema (2020-12) of the constraint's own value.",
          ),
          parameters: about(
            z._default(z.record(z.string(), z.json()), {}),
            'JSON Schema (2020-12) of `parameters` wherever the constraint is set.',
          ),
        }),
      ),
      {},
    ),
    'Further keys of `target.constraints`, by name.',
  ),
});
export type PolicyDocument = z.infer<typeof policySchema>;

/** A rule as the gate uses it: lists are lists, and the class and the people of a quorum are filled in. */
export interface PolicyRule
  extends Omit<z.infer<typeof ruleSchema>, 'name' | 'match' | 'approval_class' | 'threshold'> {
  /** Its own, or for example `rules.2`. */
  name: string;
  match: PolicyMatch;
  approval_class: (typeof APPROVAL_CLASSES)[number];
  threshold?: PolicyQuorum;
}
interface PolicyMatch {
  action_types?: (typeof ACTION_TYPES)[number][];
  resource_type?: string[];
  resource_id?: string[];
  domain?: string[];
}
export interface PolicyQuorum {
  n: number;
  /** Names of approvers. */
  of: string[];
  /** The least number of these approvers. */
  groups: { name: string; n: number; of: string[] }[];
}

/** A policy as the gate uses it. */
export interface Policy extends Omit<PolicyDocument, 'rules'> {
  rules: PolicyRule[];
}
export type Approver = z.infer<typeof approverSchema>;
export type ApproverKey = z.infer<typeof approverKeySchema>;
export type PolicyWindow = z.infer<typeof windowSchema>;

/** A policy with what names it. */
export interface LoadedPolicy {
  policy: Policy;
  digest: string;
  /** Absolute path of the file that it was read from. */
  origin?: string;
}
