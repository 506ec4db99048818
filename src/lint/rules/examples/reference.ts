import { chain, commentBlock, fullStep, gatedExample, type RuleExamples, shellBlock, step } from './build.ts';

const bindings = (...ids: string[]) => ({
  evidence_bindings: ids.map((evidence_id, at) => ({ evidence_id, ref: `step:${at + 1}` })),
});
const precondition = (evidence_ref: string) => ({
  field: 'exit_code',
  operator: 'eq',
  value: 0,
  evidence_ref,
});
const PROPOSAL = {
  action_type: 'write',
  target: { resource_type: 'database', domain: 'db.example.org' },
  preconditions: [{ field: 'text', operator: 'contains', value: 'fine', evidence_ref: 'step:1' }],
  approval_class: 'single',
};
const stdoutIs = (operator: string, value: unknown) => ({
  preconditions: [{ field: 'stdout', operator, value, evidence_ref: 'step:1' }],
});
const INPUTS = '---\ninputs:\n  HOST: { description: Host to drain }\n---\n';

export const REFERENCE_EXAMPLES: RuleExamples = {
  'evidence-id-duplicate': [
    {
      title: 'One name for two steps',
      source: gatedExample(bindings('tests', 'tests')),
      findings: {
        '24:316':
          'The evidence_id "tests" is bound twice, and the gate would deny what uses it. Rename one of them.',
      },
    },
    { title: 'Two names', source: gatedExample(bindings('tests', 'answer')) },
  ],
  'evidence-ref-later': [
    {
      title: 'The gated step as its own evidence',
      source: gatedExample({ preconditions: [precondition('step:3')] }),
      findings: {
        '24:195':
          '"step:3" is proven only after this step, step 3, has been decided. Name a step before it, or move that step.',
      },
    },
    { title: 'A step before', source: gatedExample({ preconditions: [precondition('step:1')] }) },
  ],
  'evidence-ref-unknown': [
    {
      title: 'A step that does not exist',
      source: gatedExample({ preconditions: [precondition('step:7')] }),
      findings: {
        '24:195':
          '"step:7" leads to no step: the chain has 3. Write step: and the number of the step that proves it.',
      },
    },
    {
      title: 'A name that is bound to nothing, and a hash of another run',
      source: gatedExample({
        preconditions: [precondition('tests')],
        evidence_bindings: [{ evidence_id: 'test-run', ref: 'ab'.repeat(32) }],
      }),
      findings: {
        '24:195':
          '"tests" is neither step: and a number nor an evidence_id of the bindings. Bind it to a step in evidence_bindings, or name the step.',
        '24:291':
          'The hash of a proof is known only within its run, so it cannot be in a template. Write step: and the number of the step that proves it.',
      },
    },
    {
      title: 'A step before, by number and by a bound name',
      source: gatedExample({
        preconditions: [precondition('step:1'), precondition('tests')],
        evidence_bindings: [{ evidence_id: 'tests', ref: 'step:1' }],
      }),
    },
  ],
  'evidence-ref-weak': [
    {
      title: 'A comment as evidence',
      source: chain(
        'Migrate',
        step('Look', 'Look at it.', commentBlock(40)),
        step('Migrate', 'Migrate it.', { proposal: PROPOSAL, ...shellBlock('make migrate') }),
      ),
      findings: {
        '16:201':
          '"step:1" leads to a comment, which is not evidence unless a policy allows it. Let a command, a tool or a person answer in that step.',
      },
    },
    {
      title: 'A first step that needs nothing',
      source: chain(
        'Migrate',
        step('Look', 'Look at it.'),
        step('Migrate', 'Migrate it.', { proposal: PROPOSAL, ...shellBlock('make migrate') }),
      ),
      findings: {
        '12:201': '"step:1" leads to a step that proves nothing. Give it a proof, or name another step.',
      },
    },
    { title: 'A command as evidence', source: gatedExample({}) },
  ],
  'precondition-never-holds': [
    {
      title: 'A number in quotes',
      source: gatedExample(stdoutIs('gt', '90')),
      findings: {
        '24:173':
          '"gt" compares numbers, but this is a string, so it is never true. Write the number without quotes.',
      },
    },
    {
      title: 'An invalid pattern',
      source: gatedExample(stdoutIs('matches', 200)),
      findings: {
        '24:178':
          '"matches" needs a pattern, but this is a number, so it is never true. Write the pattern in quotes.',
      },
    },
    { title: 'Values that suit', source: gatedExample(stdoutIs('contains', 'passed')) },
  ],
  'reference-in-command': [
    {
      title: 'A reference in a command',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain it.\n\n```sh proof timeout=1m\ndrain {{HOST}}\n```'))}`,
      findings: { '12:7': null },
      fixed: `${INPUTS}${chain('Drain', step('Drain', 'Drain it.\n\n```sh proof timeout=1m\ndrain "$HOST"\n```'))}`,
    },
    {
      title: 'A reference in quotes, in the full form',
      source: `${INPUTS}${chain('Drain', fullStep('Drain', 'Drain {{HOST}}.', shellBlock('drain --to={{HOST}} "the {{HOST}}"')))}`,
      findings: { '12:66': null, '12:81': null },
      fixed: `${INPUTS}${chain('Drain', fullStep('Drain', 'Drain {{HOST}}.', shellBlock('drain --to="$HOST" "the ${HOST}"')))}`,
    },
    {
      title: 'In single quotes, where the shell would not expand a variable',
      source: `${INPUTS}${chain(
        'Drain',
        step('Drain', 'Drain it.', shellBlock("drain '{{HOST}}' --note 'about {{HOST}}'")),
        step('Look', 'Look.', shellBlock("sh -c 'curl -f {{HOST}}' && awk '/{{HOST}}/' log")),
      )}`,
      findings: { '12:8': null, '12:32': null, '20:16': null, '20:35': null },
      fixed: `${INPUTS}${chain(
        'Drain',
        step('Drain', 'Drain it.', shellBlock(`drain "$HOST" --note 'about '"$HOST"''`)),
        step('Look', 'Look.', shellBlock(`sh -c 'curl -f "$HOST"' && awk '/{{HOST}}/' log`)),
      )}`,
    },
    {
      title: 'In the command that checks a rollback',
      source: `${INPUTS}${chain(
        'Drain',
        step('Look', 'Look.', shellBlock('make test')),
        step('Drain', 'Drain it.', {
          proposal: {
            rollback_semantics: { strategy: 'command', command: 'fill {{HOST}}', verify: 'look {{HOST}}' },
          },
          ...shellBlock('drain "$HOST"'),
        }),
      )}`,
      findings: { '20:78': null, '20:105': null },
      fixed: `${INPUTS}${chain(
        'Drain',
        step('Look', 'Look.', shellBlock('make test')),
        step('Drain', 'Drain it.', {
          proposal: {
            rollback_semantics: { strategy: 'command', command: 'fill "$HOST"', verify: 'look "$HOST"' },
          },
          ...shellBlock('drain "$HOST"'),
        }),
      )}`,
    },
    {
      title: 'In the pattern of an output: the command compares it',
      source: `${INPUTS}${chain(
        'Drain',
        fullStep(
          'Drain',
          'Drain it.',
          shellBlock('drain "$HOST"', { stdout_matches: '^drained {{HOST}}\\.$' }),
        ),
        step('Look', 'Look.', shellBlock('state "$HOST"', { stdout_matches: 'of {{HOST}} [0-9]+' })),
      )}`,
      findings: { '12:124': null, '20:118': null },
      fixed: `${INPUTS}${chain(
        'Drain',
        fullStep(
          'Drain',
          'Drain it.',
          shellBlock(
            `out=$(drain "$HOST") || exit; printf '%s\\n' "$out"; case $out in "drained \${HOST}.") ;; *) exit 1 ;; esac`,
            { expect_exit_code: 0 },
          ),
        ),
        step('Look', 'Look.', shellBlock('state "$HOST"', { stdout_matches: 'of {{HOST}} [0-9]+' })),
      )}`,
    },
    {
      title: 'In the pattern of an answer: choices have references',
      source: `${INPUTS}${chain('Drain', step('Confirm', 'Drain {{HOST}}.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which host?', pattern: '^{{HOST}}$|none' } } }))}`,
      findings: { '12:95': null },
      fixed: `${INPUTS}${chain('Drain', step('Confirm', 'Drain {{HOST}}.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which host?', choices: ['{{HOST}}', 'none'] } } }))}`,
    },
    {
      title: 'A variable, and braces of another tool',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain it.', shellBlock('drain "$HOST" && docker ps --format "{{.Names}}"')))}`,
    },
  ],
  'reference-unknown': [
    {
      title: 'A misspelt name',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain {{HOTS}} with `drain "$HOST"`.'))}`,
      findings: { '9:7': null },
    },
    {
      title: 'A misspelt name in a title',
      source: `${INPUTS}${chain('Drain', step('Drain {{HOTS}}', 'Drain it with `drain "$HOST"`.'))}`,
      findings: { '7:10': null },
    },
    { title: 'An input', source: `${INPUTS}${chain('Drain', step('Drain', 'Drain {{HOST}}.'))}` },
  ],
};
