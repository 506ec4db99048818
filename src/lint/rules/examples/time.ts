import { chain, fullStep, gatedExample, type RuleExamples, shellBlock, step } from './build.ts';

const window = (max_duration_ms: number) => ({ time_window: { max_duration_ms } });

export const TIME_EXAMPLES: RuleExamples = {
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
  'shell-endless': [
    {
      title: 'Following a log',
      source: chain('Watch', step('Look', 'Look for errors.', shellBlock('tail -f app.log'))),
      findings: {
        '8:1':
          'tail -f runs until it is stopped, so this step can only time out. Use a form that ends, or put timeout before it.',
      },
    },
    {
      title: 'Programs that end, or are made to',
      source: chain(
        'Watch',
        step('Look', 'Look.', shellBlock('tail -n 100 app.log')),
        step('Start', 'Start.', shellBlock('docker compose up --detach')),
        step(
          'Listen',
          'Listen.',
          shellBlock('timeout 20 tail -f app.log > excerpt.log || test -s excerpt.log'),
        ),
      ),
    },
  ],
  'timeout-missing': [
    {
      title: 'Shorthand without a limit',
      source: chain('Release', step('Test', 'Run the tests.\n\n```sh proof\nnpm test\n```')),
      findings: {
        '7:1': 'The command has no timeout and is ended after 1m. Write down how long it may run.',
      },
      fixed: chain('Release', step('Test', 'Run the tests.\n\n```sh proof timeout=1m\nnpm test\n```')),
    },
    {
      title: 'In the full form',
      source: chain(
        'Release',
        fullStep('Test', 'Run the tests.', { proof_of_work: { type: 'shell', shell: { cmd: 'npm test' } } }),
      ),
      findings: {
        '8:47': 'The command has no timeout_seconds and is ended after 60 s. Write down how long it may run.',
      },
      fixed: chain(
        'Release',
        fullStep('Test', 'Run the tests.', {
          proof_of_work: { type: 'shell', shell: { cmd: 'npm test', timeout_seconds: 60 } },
        }),
      ),
    },
    {
      title: 'In YAML',
      source: chain(
        'Release',
        step(
          'Test',
          'Run.\n\n```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n    env: [CI]\n```',
        ),
      ),
      findings: { '11:5': null },
      fixed: chain(
        'Release',
        step(
          'Test',
          'Run.\n\n```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n    timeout_seconds: 60\n    env: [CI]\n```',
        ),
      ),
    },
    {
      title: 'A command with a limit',
      source: chain(
        'Release',
        step('Test', 'Run the tests.', {
          proof_of_work: { type: 'shell', shell: { cmd: 'npm test', timeout_seconds: 600 } },
        }),
      ),
    },
  ],
  'timeout-too-short': [
    {
      title: 'A sleep longer than the limit',
      source: chain(
        'Watch',
        step('Wait', 'Wait five minutes.', shellBlock('sleep 300 && curl -f localhost')),
      ),
      findings: {
        '8:1':
          'This waits up to 300 seconds, but the step is ended after 60 s. Raise the timeout, or wait in a separate step.',
      },
    },
    {
      title: 'A limit of the tool that is larger',
      source: chain(
        'Deploy',
        step(
          'Wait',
          'Wait.',
          shellBlock('kubectl rollout status deployment/web --timeout=5m', { timeout_seconds: 120 }),
        ),
      ),
      findings: { '8:1': null },
    },
    {
      title: 'A wait that fits, and one that is not written down',
      source: chain(
        'Deploy',
        step('Wait', 'Wait.', shellBlock('kubectl rollout status deployment/web --timeout=50s')),
        step('Look', 'Look.', shellBlock('sleep "$PAUSE" && curl -f localhost')),
      ),
    },
  ],
};
