import * as z from 'zod/mini';
import { KairosError, meantOrAll } from '../base/errors.ts';
import { policyCasesSchema } from '../gate/policy/cases-schema.ts';
import { policySchema } from '../gate/policy/schema.ts';
import { proposalSchema } from '../gate/proposal.ts';
import { PREDICATE_TYPE, predicateSchema } from '../ledger/attestation.ts';
import { ENTRY_KINDS } from '../ledger/entry.ts';
import { projectSchema } from '../lint/config/schema.ts';
import { LINT_RULES } from '../lint/rules/index.ts';
import {
  described,
  frontmatterJsonSchema,
  holdJsonSchema,
  stepBlockJsonSchema,
} from '../protocol/json-schema.ts';

type JsonSchema = Record<string, unknown>;

/** Every JSON Schema that kairos publishes, by name; each is made when it is needed. */
export const SCHEMAS: Readonly<Record<string, { summary: string; make: () => JsonSchema }>> = {
  'step-block': {
    summary: 'what a step demands: the last fenced block of a step',
    make: () => stepBlockJsonSchema(),
  },
  frontmatter: {
    summary: 'the frontmatter of a protocol, its inputs included',
    make: () => frontmatterJsonSchema(),
  },
  config: { summary: 'the configuration of a project', make: () => configSchema() },
  answers: { summary: 'an answers file for kairos run', make: () => answersSchema() },
  inputs: { summary: 'an inputs file for kairos run and begin', make: () => inputsFileSchema() },
  'ledger-entry': { summary: 'a line of an exported ledger', make: () => ledgerEntrySchema() },
  policy: { summary: 'the policy that proposals are judged by', make: () => policyJsonSchema() },
  hold: { summary: 'a hold list: calls of an agent that wait for a step', make: () => holdJsonSchema() },
  'policy-cases': { summary: 'a file of cases for kairos policy test', make: () => policyCasesJsonSchema() },
  'run-attestation': {
    summary: 'the predicate of kairos attestation',
    make: () => ({
      title: 'kairos run attestation',
      description: `The predicate of an in-toto statement whose predicateType is ${PREDICATE_TYPE}.`,
      ...z.toJSONSchema(predicateSchema, { target: 'draft-2020-12' }),
    }),
  },
  proposal: { summary: 'a proposal for a consequential step', make: () => proposalJsonSchema() },
};

/** A schema by its name. Throws USAGE. */
export function jsonSchemaOf(name: string): JsonSchema {
  const entry = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (entry === undefined) throw unknown(name);
  return entry.make();
}

function unknown(name: string): KairosError {
  return new KairosError('USAGE', `there is no schema ${JSON.stringify(name)}`, {
    hint: meantOrAll(name, 'Schemas', Object.keys(SCHEMAS)),
  });
}

/** Of a project's configuration, made from the schema that validates it: every rule by its name. */
export function configSchema(): Record<string, unknown> {
  return {
    title: 'kairos project configuration',
    description: 'kairos.config.yaml or kairos.config.json, or the key kairos of a package.json.',
    ...z.toJSONSchema(projectSchema(LINT_RULES), { target: 'draft-2020-12', io: 'input' }),
  };
}

const SCALAR = {
  type: ['string', 'number', 'boolean', 'null'],
  description: 'Kept as written: 1.10 stays 1.10.',
};

const PROPOSAL = {
  type: [...SCALAR.type, 'object'],
  description: 'JSON text, or the object itself. kairos fills in what is left out from the draft.',
};

/** The questions of a step by their names; see `proofQuestion`. */
const QUESTIONS: Readonly<Record<string, object>> = {
  answer: { ...SCALAR, description: "A person's answer to user_input: one of the choices, or text." },
  comment: { ...SCALAR, description: 'The comment that the step demands.' },
  result: { ...SCALAR, description: 'Result of a tool that kairos does not call itself, as JSON or text.' },
  sampling: { ...SCALAR, description: "The model's answer to sampling, as JSON text." },
  run: { ...SCALAR, description: 'Whether the command is run: yes or no. --yes answers it too.' },
  phrase: { ...SCALAR, description: 'The phrase that a dangerous command needs: run it.' },
  proposal: PROPOSAL,
};

/** Of an answers file, as `parseAnswers` reads it. */
export function answersSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'kairos answers file',
    description: 'For kairos run --answers: what would otherwise be asked.',
    type: 'object',
    properties: {
      answers: {
        type: 'object',
        description:
          'By the number of a step, its label, the slug of its label, or the id of a question (3.answer).',
        patternProperties: { '^[0-9]+\\.proposal$': PROPOSAL },
        additionalProperties: {
          anyOf: [
            SCALAR,
            {
              type: 'object',
              properties: QUESTIONS,
              additionalProperties: SCALAR,
              description: 'By the name of a question.',
            },
          ],
        },
      },
    },
    required: ['answers'],
    additionalProperties: false,
  };
}

/** Of an inputs file, as `parseInputs` reads it. The protocol decides which names exist. */
export function inputsFileSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'kairos inputs file',
    description:
      'For --inputs of kairos run and kairos begin: the inputs that the protocol declares, by name.',
    type: 'object',
    propertyNames: { pattern: '^[A-Z][A-Z0-9_]{0,63}$' },
    additionalProperties: { ...SCALAR, description: 'Value of the input, kept as written: 1.10 stays 1.10.' },
  };
}

const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const TEXT = { type: 'string', minLength: 1 };

/** The schema of an entry in a line of a ledger, as `shapeFault` checks its form; only the hash proves its content. */
export function ledgerEntrySchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'kairos ledger entry',
    description:
      'One line of an exported ledger. hash = SHA-256 of "kairos.ledger.v1\\n" and the canonical JSON (RFC 8785) of the entry without hash.',
    type: 'object',
    properties: {
      v: { const: 1, description: 'Version of this format.' },
      run_id: { ...TEXT, description: 'The run that the entry belongs to.' },
      seq: {
        type: 'integer',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Number of the entry, from 0.',
      },
      prev: {
        ...HASH,
        description: 'Hash of the entry before; of entry 0, the SHA-256 of the text genesis.',
      },
      at: {
        type: 'string',
        pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
        description: 'RFC 3339, UTC, milliseconds.',
      },
      kind: { ...TEXT, examples: [...ENTRY_KINDS], description: 'Kinds may be added.' },
      data: {
        $ref: '#/$defs/object',
        description:
          'What happened. An entry without actor and by was written by the actor of run.begun. Otherwise by names who wrote it.',
      },
      hash: { ...HASH, description: 'Hash of this entry.' },
    },
    required: ['v', 'run_id', 'seq', 'prev', 'at', 'kind', 'data', 'hash'],
    additionalProperties: false,
    $defs: {
      object: {
        type: 'object',
        propertyNames: { pattern: String.raw`^[\x20-\x7e]+$` },
        additionalProperties: { $ref: '#/$defs/value' },
      },
      value: {
        anyOf: [
          { type: ['string', 'boolean', 'null'] },
          { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
          { type: 'array', items: { $ref: '#/$defs/value' } },
          { $ref: '#/$defs/object' },
        ],
      },
    },
  };
}

/** JSON Schema of `kairos.policy.yaml`, made from the schema that validates it. `policy check` judges its meaning. */
export function policyJsonSchema(): Record<string, unknown> {
  return {
    title: 'kairos policy',
    description:
      'kairos.policy.yaml: who may propose what, which approvals it needs, and who may approve it.',
    ...(described(
      z.toJSONSchema(policySchema, { target: 'draft-2020-12', io: 'input' }),
      'policy',
    ) as object),
  };
}

/** JSON Schema of a file of cases for a policy, made from the schema that validates it. */
export function policyCasesJsonSchema(): Record<string, unknown> {
  return {
    title: 'kairos policy cases',
    description: 'A file for kairos policy test: decisions that a policy has to give.',
    ...z.toJSONSchema(policyCasesSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}

/** JSON Schema of a proposal, made from the schema that validates it. */
export function proposalJsonSchema(): Record<string, unknown> {
  return {
    title: 'kairos proposal',
    description: 'A proposal for a consequential step, the input of kairos proposal submit.',
    ...(described(
      z.toJSONSchema(proposalSchema, { target: 'draft-2020-12', io: 'input' }),
      'proposal',
    ) as object),
  };
}
