/** What a key of the format means. The schemas, editors and docs/format.md use these texts. */
export interface KeyDoc {
  meaning: string;
  /** In YAML. */
  example: string;
  /** What leaving the key out means, in markdown, where the schema has no default. */
  fallback?: string;
}

/** What a key of a proposal's template means. */
export const PROPOSAL_DOCS: Readonly<Record<string, KeyDoc>> = {
  'proposal.action_type': { meaning: 'Kind of the action.', example: 'delete' },
  'proposal.target': {
    meaning: 'What the action is done to.',
    example: '{resource_type: database, resource_id: orders}',
  },
  'proposal.effects': { meaning: 'Effects that the action has.', example: '[traffic_drained]' },
  'proposal.preconditions': {
    meaning: 'Conditions that evidence must show.',
    example: '[{field: exit_code, operator: eq, value: 0, evidence_ref: backup}]',
  },
  'proposal.risk_envelope': {
    meaning: 'Bounds that the action stays within.',
    example: '{max_affected_records: 100}',
  },
  'proposal.rollback_semantics': {
    meaning: 'How the action is rolled back.',
    example: '{strategy: command, command: make restore}',
  },
  'proposal.time_window': {
    meaning: 'Bound of the time in which the action may run.',
    example: '{max_duration_ms: 600000}',
  },
  'proposal.approval_class': { meaning: 'How many people approve.', example: 'dual' },
  'proposal.evidence_bindings': {
    meaning: 'Proofs of earlier steps that support the proposal.',
    example: '[{evidence_id: backup, ref: step:2}]',
  },
  'proposal.parameters_schema': {
    meaning: "JSON Schema 2020-12 of the proposal's parameters. Commands get them as KAIROS_PARAM_NAME.",
    example: '{type: object}',
  },
  'target.resource_type': { meaning: 'Type of the resource.', example: 'database' },
  'target.resource_id': { meaning: 'Identifier of the resource.', example: 'orders' },
  'target.domain': { meaning: 'Domain that the resource belongs to.', example: 'billing' },
  'target.constraints': {
    meaning: 'Further bounds of the target, as a JSON object.',
    example: '{region: eu}',
  },
  'preconditions.field': { meaning: 'Field of the evidence to check.', example: 'exit_code' },
  'preconditions.operator': { meaning: 'How the field is compared with the value.', example: 'eq' },
  'preconditions.value': { meaning: 'Value to compare with.', example: '0' },
  'preconditions.evidence_ref': {
    meaning: 'Evidence that has the field, by its evidence_id.',
    example: 'backup',
  },
  'risk_envelope.allowed_side_effects': {
    meaning: 'Effects that may happen in addition to the effects.',
    example: '[cache_cleared]',
  },
  'risk_envelope.forbidden_effects': { meaning: 'Effects that must not happen.', example: '[data_loss]' },
  'risk_envelope.max_affected_records': {
    meaning: 'Maximum number of records that the action may change.',
    example: '100',
  },
  'risk_envelope.reversible_required': { meaning: 'Whether the action must be reversible.', example: 'true' },
  'rollback_semantics.strategy': {
    meaning: 'Way to roll back: none, manual, command or chain.',
    example: 'command',
  },
  'rollback_semantics.command': { meaning: 'Command that rolls back.', example: 'make restore' },
  'rollback_semantics.chain_uri': {
    meaning: 'URI of the protocol that rolls back.',
    example: 'kairos://mem/2f0c9d3e-6a41-5b7e-9c3d-1a2b3c4d5e6f',
  },
  'rollback_semantics.verify': {
    meaning: 'Command that shows that the rollback worked.',
    example: 'make check',
  },
  'rollback_semantics.deadline_ms': {
    meaning: 'Time in milliseconds in which a rollback is possible.',
    example: '3600000',
  },
  'time_window.max_duration_ms': {
    meaning: 'Longest duration of the permitted step in milliseconds.',
    example: '600000',
  },
  'evidence_bindings.evidence_id': {
    meaning: 'Name of the evidence inside the proposal.',
    example: 'backup',
  },
  'evidence_bindings.ref': { meaning: 'Proof that is the evidence.', example: 'step:2' },
  'evidence_bindings.freshness_ms': {
    meaning: 'Maximum age of the evidence in milliseconds.',
    example: '900000',
  },
};
