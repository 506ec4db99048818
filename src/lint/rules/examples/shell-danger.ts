import { chain, type RuleExamples, shellBlock, step, userInputBlock } from './build.ts';

const APPROVAL = step(
  'Ask',
  'Ask the owner.',
  userInputBlock('Do you want to remove the old release now?', { choices: ['remove it'] }),
);

export const SHELL_DANGER_EXAMPLES: RuleExamples = {
  'path-outside-workdir': [
    {
      title: 'Upwards, and into the home folder',
      source: chain(
        'Build',
        step('Build', 'Build it.', shellBlock('make', { workdir: '../app' })),
        step('Keep', 'Keep it.', { ...shellBlock('make keep'), outputs: [{ path: '~/app.tar' }] }),
      ),
      findings: {
        '7:24':
          '../app goes upwards, but a step stays inside the working directory. Write a path below it, and start the run where all of them lie.',
        '16:113': null,
      },
    },
    {
      title: 'Below the working directory',
      source: chain(
        'Build',
        step('Build', 'Build it.', {
          ...shellBlock('make', { workdir: 'packages/app' }),
          outputs: [{ path: 'dist/*.js' }, { path: '..data/x' }],
        }),
      ),
    },
  ],
  'shell-destructive': [
    {
      title: 'No question before',
      source: chain('Clean up', step('Remove', 'Remove the old release.', shellBlock('rm -rf /srv/app/old'))),
      findings: {
        '8:1':
          'rm -r removes whole folders, and no person has approved it. Put a required user_input step with choices before this one, or give this step a proposal.',
      },
    },
    {
      title: 'An answer in free text is not an approval',
      source: chain(
        'Clean up',
        step('Ask', 'Ask.', userInputBlock('What do you think about removing it?')),
        step('Remove', 'Remove it.', shellBlock('kubectl delete namespace old')),
      ),
      findings: { '16:1': null },
    },
    {
      title: 'Approved before, or gated by a proposal',
      source: chain(
        'Clean up',
        step('Free space', 'Build output.', shellBlock('rm -rf dist node_modules')),
        APPROVAL,
        step('Remove', 'Remove it.', shellBlock('rm -rf /srv/app/old')),
      ),
    },
    {
      title: 'What the command has made itself',
      source: chain(
        'Try',
        step(
          'Try',
          'Try it.',
          shellBlock('d=$(mktemp -d) && cp -r . "$d" && npm test --prefix "$d" && rm -rf "$d"'),
        ),
      ),
    },
  ],
  'shell-download-run': [
    {
      title: 'A download piped into a shell',
      source: chain(
        'Install',
        step('Install', 'Install it.', shellBlock('curl -fsSL https://example.org/install.sh | sh')),
      ),
      findings: {
        '8:1':
          'This runs any code that the server sends today. Download to a file, compare its checksum (sha256sum --check), then run that file.',
      },
    },
    {
      title: 'Checked first; and data, not code',
      source: chain(
        'Install',
        step(
          'Install',
          'Install it.',
          shellBlock('curl -fsSLo i.sh https://example.org/i.sh && sha256sum -c i.sum && sh i.sh'),
        ),
        step('Ask', 'Ask.', shellBlock('curl -fsS https://example.org/status | jq -e .ok')),
      ),
    },
  ],
  'shell-fixed-temp-path': [
    {
      title: 'A fixed name under /tmp',
      source: chain(
        'Back up',
        step('Dump', 'Dump it.', shellBlock('pg_dump app > /tmp/app.sql && test -s /tmp/app.sql')),
      ),
      findings: {
        '8:15':
          '/tmp/app.sql is the same file for every run and every user. Write to the working directory, or to a folder made with mktemp -d.',
      },
    },
    {
      title: 'A separate folder, and a name that only looks like one',
      source: chain(
        'Back up',
        step(
          'Dump',
          'Dump.',
          shellBlock('dir=$(mktemp -d /tmp/dump-XXXXXX) && pg_dump app > "$dir/app.sql"'),
        ),
        step('Keep', 'Keep.', shellBlock('pg_dump app > tmp/app.sql && ls /srv/tmp/app')),
      ),
    },
  ],
  'shell-home-path': [
    {
      title: 'The folder of one person',
      source: chain('Build', step('Build', 'Build it.', shellBlock('cd /home/ada/app && make'))),
      findings: {
        '8:4':
          '/home/ada/app exists on one machine only. Write a path relative to the working directory, or begin it with $HOME.',
      },
    },
    {
      title: 'Relative, from a variable, or of a system account',
      source: chain(
        'Build',
        step('Build', 'Build.', shellBlock('cd app && make')),
        step('Copy', 'Copy.', shellBlock('cp app "$HOME/bin/" && ls /home')),
      ),
    },
  ],
  'shell-http-error': [
    {
      title: 'A request that proves the step with any answer',
      source: chain(
        'Release',
        step('Look', 'Look at the page.', shellBlock('curl -sS https://example.com/health')),
      ),
      findings: {
        '8:1':
          'This curl ends with 0 for an error of the server too, such as 404 or 500. Add --fail, or judge its output with stdout_matches.',
      },
      fixed: chain(
        'Release',
        step('Look', 'Look at the page.', shellBlock('curl --fail -sS https://example.com/health')),
      ),
    },
    {
      title: 'A request before a word, within a limit, and as the last of a pipe',
      source: chain(
        'Release',
        step('Look', 'Look.', shellBlock('curl -so page.html "$URL" && echo reachable', { env: ['URL'] })),
        step('Send', 'Send.', shellBlock('timeout 9 curl -XPOST https://example.com/hook')),
        step('Post', 'Post.', shellBlock('jq . report.json | curl -d @- https://example.com/report')),
      ),
      findings: { '8:1': null, '16:11': null, '24:20': null },
      fixed: chain(
        'Release',
        step(
          'Look',
          'Look.',
          shellBlock('curl --fail -so page.html "$URL" && echo reachable', { env: ['URL'] }),
        ),
        step('Send', 'Send.', shellBlock('timeout 9 curl --fail -XPOST https://example.com/hook')),
        step('Post', 'Post.', shellBlock('jq . report.json | curl --fail -d @- https://example.com/report')),
      ),
    },
    {
      title: 'Requests that fail, or whose answer is judged',
      source: chain(
        'Release',
        step('One', 'One.', shellBlock('curl -fsSL https://example.com/a')),
        step('Two', 'Two.', shellBlock('curl --silent --fail-with-body https://example.com/a')),
        step('Three', 'Three.', shellBlock('curl -s https://example.com/a | grep -q "status: ok"')),
        step('Four', 'Four.', shellBlock('test "$(curl -s https://example.com/version)" = 1.2.3')),
        step('Five', 'Five.', shellBlock('curl -so a.tgz https://example.com/a.tgz && sha256sum -c a.sums')),
        step('Six', 'Six.', shellBlock('curl -s https://example.com/a', { stdout_matches: 'ok' })),
        step('Seven', 'Seven.', shellBlock('curl -sT a.txt ftp://example.com/')),
      ),
    },
  ],
  'shell-sudo-password': [
    {
      title: 'A sudo that may want to ask',
      source: chain('Restart', step('Restart', 'Restart it.', shellBlock('sudo systemctl restart web'))),
      findings: {
        '8:1':
          'sudo cannot ask for a password here. Write sudo -n, so that it reports what is missing, or write the step block in JSON or YAML with "interactive": true.',
      },
    },
    {
      title: 'A sudo on another machine',
      source: chain(
        'Restart',
        step('Restart', 'Restart it.', shellBlock("ssh web1 'cd /srv && sudo systemctl restart web'")),
      ),
      findings: { '8:1': null },
    },
    {
      title: 'With -n on another machine',
      source: chain(
        'Restart',
        step('Restart', 'Restart it.', shellBlock("ssh web1 'cd /srv && sudo -n systemctl restart web'")),
      ),
    },
    {
      title: 'With -n, or with a terminal',
      source: chain(
        'Restart',
        step('Restart', 'Restart.', shellBlock('sudo -n systemctl restart web')),
        step('Again', 'Again.', shellBlock('sudo systemctl restart web', { interactive: true })),
        step('Quiet', 'Quiet.', shellBlock('sudo --non-interactive true')),
      ),
    },
  ],
};
