import * as z from 'zod/mini';
import { ACTION_TYPES, APPROVAL_CLASSES, assuranceSchema } from '../../protocol/schema.ts';
import { targetSchema } from '../proposal.ts';

/**
 * `kairos.policy.yaml`: who may ask for what, what it takes, and who may approve. All times RFC 3339 with a zone,
 * all durations in milliseconds. What a policy does not name it does not permit.
 */
const nonEmpty = () => z.string().check(z.minLength(1));
const duration = () => z.int().check(z.gte(1));
const instant = () => z.iso.datetime({ offset: true });
const some = <T extends z.ZodMiniType>(item: T) => z.array(item).check(z.minLength(1));

/** One public key of an approver: the line that `ssh-keygen` writes into a `.pub` file. */
export const approverKeySchema = z.strictObject({
  key: z
    .string()
    .check(
      z.regex(/^(?:ssh|sk-ssh|ecdsa-sha2|sk-ecdsa-sha2)-[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}(?: [^\r\n]*)?$/),
    ),
  valid_from: z.optional(instant()),
  valid_until: z.optional(instant()),
  revoked: z._default(z.boolean(), false),
});

export const approverSchema = z.strictObject({
  /** Names a person; one person may have several keys and counts once. */
  name: z.string().check(z.regex(/^[A-Za-z0-9._@+-]{1,64}$/)),
  /** OS users and bearer identities that are this person: what they propose they cannot approve. */
  actors: z._default(z.array(nonEmpty()), []),
  keys: z._default(z.array(approverKeySchema), []),
});

/** What a rule covers. What it leaves out it does not look at; `target` compares the members that it has. */
export const matchSchema = z.strictObject({
  action_types: z.optional(some(z.enum(ACTION_TYPES))),
  resource_type: z.optional(nonEmpty()),
  resource_id: z.optional(nonEmpty()),
  domain: z.optional(nonEmpty()),
});

export const ruleSchema = z.strictObject({
  match: matchSchema,
  /** The least class. */
  approval_class: z._default(z.enum(APPROVAL_CLASSES), 'none'),
  threshold: z.optional(z.strictObject({ n: z.int().check(z.gte(2)), of: some(nonEmpty()) })),
  /** Who may propose; left out: anyone. */
  actors: z.optional(some(nonEmpty())),
  /** Effects that are allowed at all; left out: any that the template names. */
  allowed_effects: z.optional(z.array(nonEmpty())),
  forbidden_effects: z._default(z.array(nonEmpty()), []),
  /** Evidence may be no older; a binding may ask for less. */
  freshness_ms: z.optional(duration()),
  /** The least assurance of evidence; left out: `observed`, and `client` for what a person answered. */
  evidence_assurance: z.optional(assuranceSchema),
  /** Class `none` is enough even without evidence. */
  evidence_optional: z._default(z.boolean(), false),
});

export const policySchema = z.strictObject({
  version: z.literal(1),
  approvers: z._default(z.array(approverSchema), []),
  approvals: z._default(
    z.strictObject({
      /** How long an approval counts. */
      ttl_ms: z._default(duration(), 3_600_000),
      /** A yes at the terminal counts for class `single`. */
      terminal: z._default(z.boolean(), false),
      /** Only keys that live in hardware (`sk-…`) count. */
      hardware_keys: z._default(z.boolean(), false),
    }),
    { ttl_ms: 3_600_000, terminal: false, hardware_keys: false },
  ),
  rules: z._default(z.array(ruleSchema), []),
  /** How tools of a KernelRequest are to be read. */
  tools: z._default(
    z.array(
      z.strictObject({ tool_name: nonEmpty(), action_type: z.enum(ACTION_TYPES), target: targetSchema }),
    ),
    [],
  ),
  /** Further keys of `target.constraints`, by JSON Schemas (2020-12). */
  constraints: z._default(
    z.record(
      z.string(),
      z.strictObject({
        /** What the constraint's own value must be. */
        value: z._default(z.record(z.string(), z.json()), {}),
        /** What `parameters` must be wherever the constraint is set. */
        parameters: z._default(z.record(z.string(), z.json()), {}),
      }),
    ),
    {},
  ),
});
export type Policy = z.infer<typeof policySchema>;
export type PolicyRule = z.infer<typeof ruleSchema>;
export type Approver = z.infer<typeof approverSchema>;
export type ApproverKey = z.infer<typeof approverKeySchema>;

/** A policy as the gate uses it. */
export interface LoadedPolicy {
  policy: Policy;
  digest: string;
}
