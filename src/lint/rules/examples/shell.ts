import { chain, fullStep, gatedExample, type RuleExamples, shellBlock, shStep, step } from './build.ts';

export const SHELL_EXAMPLES: RuleExamples = {
  'shell-background': [
    {
      title: 'A server for the next step',
      source: chain('Try', step('Start', 'Start it.', shellBlock('npm start &'))),
      findings: {
        '8:1':
          'This is ended together with the step, and its exit code is never seen. Wait for it, or start it as a service with its output redirected to a file.',
      },
    },
    {
      title: 'Waited for, or a separate service',
      source: chain(
        'Try',
        step('Both', 'Run both.', shellBlock('npm run a & npm run b & wait')),
        step('Start', 'Start it.', shellBlock('npm start > server.log 2>&1 & sleep 5; curl -f localhost')),
      ),
    },
  ],
  'shell-bash-only': [
    {
      title: 'Syntax of bash',
      source: chain('Deploy', step('Check', 'Check it.', shellBlock('[[ -f app.env ]] && source app.env'))),
      findings: {
        '8:1':
          '[[ … ]] is bash, and commands are run by sh: write [ … ], or case for patterns, or hand the whole command to bash -c.',
        '8:21': null,
      },
    },
    {
      title: 'The same for every shell, and bash by name',
      source: chain(
        'Deploy',
        step('Check', 'Check it.', shellBlock('[ -f app.env ] && . ./app.env')),
        step('Test', 'Test it.', shellBlock("bash -o pipefail -c 'npm test | tee log'")),
      ),
    },
  ],
  'shell-cannot-fail': [
    {
      title: 'A word instead of a check',
      source: chain('Release', step('Test', 'Run the tests.', shellBlock('echo tests passed'))),
      findings: {
        '8:1':
          'This command always ends with 0, so it proves nothing. Let the command that does the work be the last, or judge its output with stdout_matches.',
      },
    },
    {
      title: 'A failure that is waved through',
      source: chain('Release', step('Test', 'Run the tests.', shellBlock('npm test || true'))),
      findings: { '8:1': null },
    },
    {
      title: 'A check of a rollback that always succeeds',
      source: gatedExample({
        rollback_semantics: { strategy: 'command', command: 'make restore', verify: 'echo restored' },
      }),
      findings: {
        '24:319':
          'This command always ends with 0, so it proves nothing. Let the command that does the work be the last.',
      },
    },
    {
      title: 'Output that is judged, and a check that may fail',
      source: chain(
        'Release',
        step('Tell', 'Tell.', shellBlock('echo "$RELEASE"', { env: ['RELEASE'], stdout_matches: '^v[0-9]' })),
        step('Test', 'Test.', shellBlock('npm test || { echo broken; exit 1; }')),
      ),
    },
  ],
  'shell-interactive': [
    {
      title: 'An editor',
      source: chain('Release', step('Notes', 'Write the notes.', shellBlock('vim CHANGELOG.md'))),
      findings: {
        '8:1':
          'vim waits for a person at a terminal, which this command does not have. Use a form that asks nothing, or write the step block in JSON or YAML with "interactive": true.',
      },
    },
    {
      title: 'An editor, in the full form',
      source: chain('Release', fullStep('Notes', 'Write the notes.', shellBlock('vim CHANGELOG.md'))),
      findings: {
        '8:55':
          'vim waits for a person at a terminal, which this command does not have. Use a form that asks nothing, or set "interactive": true.',
      },
      fixed: chain(
        'Release',
        step('Notes', 'Write the notes.', {
          proof_of_work: {
            type: 'shell',
            shell: { cmd: 'vim CHANGELOG.md', interactive: true, timeout_seconds: 60 },
          },
        }),
      ),
    },
    {
      title: 'A shell on another machine',
      source: chain('Look', step('Look', 'Look around.', shellBlock('ssh web-1', { interactive: false }))),
      findings: { '8:55': null },
    },
    {
      title: 'The same programs, with input or with options',
      source: chain(
        'Release',
        step('Notes', 'Write.', shellBlock('vim CHANGELOG.md', { interactive: true })),
        step('Look', 'Look.', shellBlock('ssh web-1 uptime')),
        step('Commit', 'Commit.', shellBlock('git commit --message "Release"')),
        step('Load', 'Load.', shellBlock('psql app < dump.sql')),
      ),
    },
  ],
  'shell-lost-failure': [
    {
      title: 'A list that continues after a failure',
      source: chain('Release', step('Test', 'Test it.', shellBlock('npm ci; npm test'))),
      findings: {
        '8:1':
          'When this fails the command continues, and only its last part decides. Join the parts with && instead of a semicolon or a new line.',
      },
      fixed: chain('Release', step('Test', 'Test it.', shellBlock('npm ci && npm test'))),
    },
    {
      title: 'A pipe into a program that always succeeds',
      source: chain('Release', step('Test', 'Test it.', shellBlock('npm test | tee test.log'))),
      findings: {
        '8:1':
          "A failure here is not noticed: tee at the end of the pipe decides. Write to a file first and join with &&, or run it as bash -o pipefail -c '…'.",
      },
    },
    {
      title: 'Failures that count, or that are expected',
      source: chain(
        'Release',
        step('Test', 'Test it.', shellBlock('set -e; npm ci; npm test')),
        step('Look', 'Look.', shellBlock('npm view app version | grep -q 1.2.3')),
        step(
          'Wait',
          'Wait.',
          shellBlock('for i in 1 2 3; do curl -f localhost && exit 0; sleep 5; done; exit 1'),
        ),
      ),
    },
  ],
  'shell-state-lost': [
    {
      title: 'A variable and a directory for the next step',
      source: chain(
        'Build',
        shStep('Prepare', 'export OUT=dist && cd packages/app'),
        shStep('Build', 'npm run build -- --out "$OUT"'),
      ),
      findings: {
        '8:20':
          'No later step begins in packages/app: every command has its own shell. Set workdir in the steps that work there.',
        '16:25':
          'OUT is set in step 1, whose shell has ended, so it is empty here. Set it in this command, or capture its value in that step.',
      },
    },
    {
      title: 'A directory in the middle of a command',
      source: chain(
        'Build',
        shStep('Install', 'cd packages/app && npm ci'),
        shStep('Test', 'npm test'),
        shStep('Build', 'npm run build'),
      ),
      findings: {
        '16:1':
          'npm ran in packages/app in step 1, but this command begins in the directory of the run: every command has its own shell. Set workdir in this step, or begin it with cd packages/app.',
      },
    },
    {
      title: 'A file in the directory of an earlier step',
      source: chain(
        'Check',
        shStep('Look', 'cd /etc/nginx && ls'),
        shStep('Read', 'grep -q ssl nginx.conf'),
        shStep('Compare', 'diff /etc/nginx/nginx.conf conf/site.conf'),
      ),
      files: ['conf/site.conf'],
      findings: {
        '16:1':
          'nginx.conf does not exist next to this document or above it. Step 1 changes to /etc/nginx, but its shell has ended. Write the whole path, or set workdir.',
      },
    },
    {
      title: 'Set where it is used, captured, and a directory of each command',
      source: chain(
        'Build',
        shStep('Install', 'npm ci'),
        shStep('Build', 'cd packages/app && npm run build'),
        shStep(
          'Check',
          'npm --prefix packages/app test && cd packages/web && npm test && cd .. && npm run all',
        ),
        shStep('Publish', 'npm publish'),
        shStep('Pack', 'OUT=dist && tar -cf app.tar "$OUT"', ' workdir=packages/app'),
        shStep('Look', 'export OUT=dist'),
      ),
    },
  ],
};
