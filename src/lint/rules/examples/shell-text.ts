import { chain, fullStep, type RuleExamples, shellBlock, shStep, step } from './build.ts';

export const SHELL_TEXT_EXAMPLES: RuleExamples = {
  'shell-missing-script': [
    {
      title: 'A script that was moved',
      source: chain(
        'Release',
        step('Check', 'Check it.', shellBlock('./scripts/check.sh --all')),
        step('Test', 'Test it.', shellBlock('python3 tools/test.py', { workdir: 'app' })),
      ),
      files: ['check.sh', 'tools/test.py'],
      findings: {
        '8:1':
          './scripts/check.sh exists neither next to this document nor in a folder above it. Correct the path, or set workdir to the folder from which it exists.',
        '16:1': null,
      },
    },
    {
      title: 'Scripts that exist, and those that a build or an earlier command makes',
      source: chain(
        'Release',
        step('Check', 'Check it.', shellBlock('sh scripts/check.sh && node ./app/test.mjs')),
        step('Load', 'Load it.', shellBlock('curl -fsS -o get/tool.sh https://example.org/tool.sh')),
        step('Use', 'Use it.', shellBlock('sh get/tool.sh && node dist/cli.js && "$HOME/own.sh"')),
        step('Elsewhere', 'There.', shellBlock('cd app && ./test.sh')),
      ),
      files: ['../scripts/check.sh', 'app/test.mjs'],
    },
  ],
  'shell-placeholder': [
    {
      title: 'Angle brackets',
      source: chain('Restart', step('Look', 'Look at it.', shellBlock('kubectl logs <pod-name> --tail=20'))),
      findings: {
        '8:14':
          '<pod-name> is left to fill in, but the command is run unchanged. Declare an input for it, and read it as "$NAME".',
      },
    },
    {
      title: 'Other spellings',
      source: chain(
        'Restart',
        step('Look', 'Look at it.', shellBlock('curl -f https://{{host}}/health')),
        step('Clone', 'Clone it.', shellBlock('gh repo clone YOUR_ORG/app')),
      ),
      findings: { '8:17': null, '16:15': null },
    },
    {
      title: 'Variables, redirections, templates of other programs',
      source: chain(
        'Restart',
        step('Look', 'Look.', shellBlock('kubectl logs "$POD" --tail=20', { env: ['POD'] })),
        step('Sort', 'Sort.', shellBlock('sort <names.txt >sorted.txt')),
        step('Ask', 'Ask.', shellBlock("docker inspect --format '{{.State.Status}}' web")),
      ),
    },
  ],
  'shell-prompt-character': [
    {
      title: 'A dollar sign from a terminal',
      source: chain('Release', step('Test', 'Test it.', shellBlock('$ npm test'))),
      findings: {
        '8:1':
          'The command begins with "$", the prompt of a terminal, which the shell reads as a program. Remove it.',
      },
      fixed: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))),
    },
    {
      title: 'The prompt of an administrator, and the one of a machine',
      source: chain(
        'Release',
        step('Restart', 'Restart it.', shellBlock('# systemctl restart web')),
        step('Look', 'Look.', shellBlock('deploy@web-1:~$ uptime')),
      ),
      findings: { '8:1': null, '16:1': null },
      fixed: chain(
        'Release',
        step('Restart', 'Restart it.', shellBlock('systemctl restart web')),
        step('Look', 'Look.', shellBlock('uptime')),
      ),
    },
    {
      title: 'Variables, and a comment above a command',
      source: chain(
        'Release',
        step('Test', 'Test it.', shellBlock('$TEST_COMMAND', { env: ['TEST_COMMAND'] })),
        step('Build', 'Build it.', shellBlock('# from the lock file\nnpm ci')),
      ),
    },
  ],
  'shell-syntax': [
    {
      title: 'A quote that is never closed',
      source: chain('Release', step('Tag', 'Tag it.', shellBlock("git commit -m 'Don't stop'"))),
      findings: {
        '8:26': 'The shell cannot read this command: unterminated single quote. Nothing of it would run.',
      },
    },
    {
      title: 'Commands in their usual forms',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', shellBlock('git commit -m "Don\'t stop" && git push')),
        step('Loop', 'Look.', shellBlock('for f in *.md; do test -s "$f" || exit 1; done')),
      ),
    },
  ],
  'shell-variable-not-passed': [
    {
      title: 'An exported variable that is not passed on',
      source: chain('Deploy', shStep('Deploy', 'deploy --to "$TARGET"')),
      findings: {
        '8:14':
          'TARGET is not an input, a capture or in "env", so it is empty when the command runs. Declare it in inputs, or write env=TARGET after proof.',
      },
      fixed: chain('Deploy', shStep('Deploy', 'deploy --to "$TARGET"', ' env=TARGET')),
    },
    {
      title: 'In the full form',
      source: chain('Deploy', fullStep('Deploy', 'Deploy it.', shellBlock('deploy --to "$TARGET"'))),
      findings: {
        '8:69':
          'TARGET is not an input, a capture or in "env", so it is empty when the command runs. Declare it in inputs, or add "env": ["TARGET"] next to "cmd".',
      },
      fixed: chain(
        'Deploy',
        fullStep('Deploy', 'Deploy it.', {
          proof_of_work: {
            type: 'shell',
            shell: { cmd: 'deploy --to "$TARGET"', env: ['TARGET'], timeout_seconds: 60 },
          },
        }),
      ),
    },
    {
      title: 'One more than the list has',
      source: chain(
        'Deploy',
        step('Deploy', 'Deploy.', shellBlock('deploy "$APP" "$TARGET"', { env: ['APP'] })),
      ),
      findings: { '8:16': null },
      fixed: chain(
        'Deploy',
        step('Deploy', 'Deploy.', shellBlock('deploy "$APP" "$TARGET"', { env: ['APP', 'TARGET'] })),
      ),
    },
    {
      title: 'A name that looks as if kairos sets it',
      source: chain('Review', step('Review', 'Review it.', shellBlock('test -d "$KAIROS_WORK_DIR"'))),
      findings: { '8:10': null },
      fixed: chain(
        'Review',
        step('Review', 'Review it.', shellBlock('test -d "$KAIROS_WORK_DIR"', { env: ['KAIROS_WORK_DIR'] })),
      ),
    },
    {
      title: 'An input, and a capture of an earlier step',
      source: `---\ninputs:\n  APP: { description: Application to deploy }\n---\n${chain(
        'Deploy',
        step('Read', 'Read it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'TAG', from: 'stdout' }],
        }),
        step('Deploy', 'Deploy {{TAG}}.', shellBlock('deploy "$APP" "$TAG"')),
      )}`,
    },
    {
      title: 'Listed, set by the command itself, with a default, always passed',
      source: chain(
        'Deploy',
        step('Deploy', 'Deploy.', shellBlock('deploy "$APP"', { env: ['APP'] })),
        step('Tag', 'Tag.', shellBlock('v=$(cat VERSION) && git tag "v$v"')),
        step('Look', 'Look.', shellBlock('test -d "$HOME" && ls "${DIR:-.}"')),
      ),
    },
  ],
  'env-better-input': [
    {
      title: 'A host from the environment',
      source: chain('Drain', step('Drain', 'Drain it.\n\n```sh proof env=HOST\ndrain "$HOST"\n```')),
      findings: {
        '7:13':
          'HOST decides what the command works on, and no record has its value. Declare HOST in the inputs of the frontmatter, and remove it from env.',
      },
    },
    {
      title: 'An input, a credential, and a variable that only a program reads',
      source: `---\ninputs:\n  HOST: { description: Host to drain }\n---\n${chain(
        'Drain',
        step(
          'Drain',
          'Drain {{HOST}}.\n\n```sh proof env=API_TOKEN\ndrain --token "$API_TOKEN" "$HOST"\n```',
        ),
        step('Look', 'Look at it.', shellBlock('aws s3 ls', { env: ['AWS_PROFILE'] })),
      )}`,
    },
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
};
