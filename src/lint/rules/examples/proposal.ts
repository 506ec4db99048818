import { chain, gatedExample, type RuleExamples, step } from './build.ts';

const PROPOSAL = { action_type: 'communicate', target: { resource_type: 'mail' }, approval_class: 'single' };
const REQUIRED = { risk_envelope: { reversible_required: true } };
const rollback = (rollback_semantics: object) => gatedExample({ rollback_semantics });
const window = (max_duration_ms: number) => ({ time_window: { max_duration_ms } });

export const PROPOSAL_EXAMPLES: RuleExamples = {
  'proposal-approval-open': [
    {
      title: 'No class',
      source: gatedExample({ approval_class: undefined }),
      findings: {
        '24:2':
          'This proposal does not define who must approve, so only the policy can ask for approvals. Add "approval_class": none, single, dual or threshold.',
      },
    },
    { title: 'An explicit class, or only reading', source: gatedExample({ approval_class: 'dual' }) },
    {
      title: 'An action that changes nothing',
      source: gatedExample({ action_type: 'read', approval_class: undefined }),
    },
  ],
  'proposal-contradiction': [
    {
      title: 'An effect that is allowed and forbidden',
      source: gatedExample({
        risk_envelope: { allowed_side_effects: ['audit entry', 'mail'], forbidden_effects: ['mail'] },
      }),
      findings: {
        '24:293': 'The effect "mail" is both allowed and forbidden, so every proposal is denied. Choose one.',
      },
    },
    {
      title: 'An effect outside of what is allowed, and a field in both lists',
      source: gatedExample({
        target: {
          resource_type: 'record',
          constraints: { allowed_fields: ['email', 'ssn'], forbidden_fields: ['ssn'] },
        },
        effects: ['mail'],
        risk_envelope: { allowed_side_effects: ['audit entry'] },
      }),
      findings: {
        '24:121': 'The field "ssn" is both allowed and forbidden, so no proposal may set it. Choose one.',
        '24:299':
          'The step has the effect "mail", which its risk_envelope does not allow, so every proposal is denied. Add it to allowed_side_effects, or remove it from effects.',
      },
    },
    {
      title: 'A resource that the target names otherwise than the parameter',
      source: gatedExample({
        target: { resource_type: 'database', resource_id: 'main', domain: 'db.example.org' },
        parameters_schema: { properties: { resource_id: { const: 'copy' } } },
      }),
      findings: {
        '24:94':
          'The parameter resource_id is "copy" and the resource_id of the target "main", so every proposal is denied. They have to be the same.',
      },
    },
    {
      title: 'Effects within what is allowed',
      source: gatedExample({
        effects: ['audit entry'],
        risk_envelope: { allowed_side_effects: ['audit entry', 'reload'], forbidden_effects: ['mail'] },
      }),
    },
  ],
  'proposal-custom-action': [
    {
      title: 'A custom action',
      source: gatedExample({ action_type: 'custom' }),
      findings: {
        '24:30':
          'The action "custom" is denied wherever no policy names it. Write what is done if it is one of the others: write, create, delete, execute, communicate, transact, approve.',
      },
    },
    { title: 'A known action', source: gatedExample({ action_type: 'write' }) },
  ],
  'proposal-guards-nothing': [
    {
      title: 'A proposal for something done by hand',
      source: chain('Tell', step('Send the mail', 'Send it.', { proposal: PROPOSAL })),
      findings: {
        '8:2':
          'This step has no command and no tool, so the gate has nothing to withhold. Let a shell or mcp proof do the work.',
      },
    },
    { title: 'A gated command', source: gatedExample({}) },
  ],
  'proposal-irreversible': [
    {
      title: 'No way back',
      source: gatedExample(REQUIRED),
      findings: {
        '24:276':
          'This must be reversible, but the template has no rollback, so every proposal is denied. Add rollback_semantics with the strategy command, chain or manual.',
      },
    },
    {
      title: 'A command that leads back',
      source: gatedExample({
        ...REQUIRED,
        rollback_semantics: { strategy: 'command', command: 'make rollback' },
      }),
    },
  ],
  'proposal-max-records': [
    {
      title: 'None at all',
      source: gatedExample({ risk_envelope: { max_affected_records: 0 } }),
      findings: {
        '24:277':
          'A limit of 0 records is denied by the gate (V-PROP-012). Write how many may be affected, or leave it out.',
      },
    },
    { title: 'One', source: gatedExample({ risk_envelope: { max_affected_records: 1 } }) },
  ],
  'proposal-too-open': [
    {
      title: 'Neither action nor target',
      source: gatedExample({ action_type: undefined, target: undefined }),
      findings: {
        '24:2':
          'The template sets neither action_type nor target, so the proposer chooses under which rule it is judged. Set both.',
      },
    },
    {
      title: 'A target without an id, which differs from run to run',
      source: gatedExample({ target: { resource_type: 'invoice' } }),
    },
  ],
  'proposal-without-evidence': [
    {
      title: 'Neither a person nor evidence',
      source: gatedExample({ approval_class: 'none', preconditions: undefined }),
      findings: {
        '24:126':
          'No approval and no evidence are required, so the gate denies the proposal unchanged. Add a precondition on an earlier step, or an approval_class.',
      },
    },
    { title: 'Evidence', source: gatedExample({ approval_class: 'none' }) },
    { title: 'A person', source: gatedExample({ approval_class: 'single', preconditions: undefined }) },
  ],
  'rollback-ignored': [
    {
      title: 'An unused command',
      source: rollback({ strategy: 'manual', command: 'make rollback' }),
      findings: {
        '24:291': 'With the strategy "manual" this is never used. Write "strategy": "command", or remove it.',
      },
    },
    {
      title: 'A command by its strategy',
      source: rollback({ strategy: 'command', command: 'make rollback' }),
    },
  ],
  'rollback-incomplete': [
    {
      title: 'A command that is not given',
      source: rollback({ strategy: 'command' }),
      findings: {
        '24:270':
          'The strategy is command, but no command is given, so every proposal is denied. Add "command".',
      },
    },
    {
      title: 'A chain with an invalid address',
      source: rollback({ strategy: 'chain', chain_uri: 'restore-backup' }),
      findings: {
        '24:292':
          '"restore-backup" is not an address of a chain, so there is nothing to roll back with. Write kairos://mem/ and its UUID.',
      },
    },
    {
      title: 'A command, a chain, a person',
      source: rollback({ strategy: 'chain', chain_uri: 'kairos://mem/9d12288b-c054-5490-8984-d78ab2d45a5e' }),
    },
  ],
  'duration-too-short': [
    {
      title: 'Seconds in the place of milliseconds',
      source: gatedExample({ time_window: { max_duration_ms: 300 } }),
      findings: {
        '24:270':
          'max_duration_ms is 300 milliseconds, which is over before anything is done. Did you mean 300000?',
      },
      fixed: gatedExample({ time_window: { max_duration_ms: 300000 } }),
    },
    { title: 'A minute', source: gatedExample({ time_window: { max_duration_ms: 60000 } }) },
  ],
  'duration-under-timeout': [
    {
      title: 'Half of the time',
      source: gatedExample(window(30_000)),
      findings: {
        '24:270':
          'max_duration_ms ends the command after 30 seconds, before its timeout_seconds of 60. Write the same time in both.',
      },
    },
    { title: 'The same time', source: gatedExample(window(60_000)) },
  ],
};
