import { chain, fullStep, type RuleExamples, shellBlock, step } from './build.ts';

const PATTERN = `# Wait

## Wait for it

Until it answers.

\`\`\`yaml
proof_of_work:
  type: shell
  shell:
    cmd: make status
    stdout_matches: "^ready$"
    timeout_seconds: 60
\`\`\`
`;
const ASKED =
  '```json\n{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is the sign ⚠️ gone?", "choices": ["it is gone"]}}}\n```';

export const TEXT_EXAMPLES: RuleExamples = {
  'broken-link': [
    {
      title: 'A missing page',
      source: chain('Restart', step('Look', 'See [the runbook](docs/runbook.md#restart) first.')),
      files: ['docs/run-book.md'],
      findings: {
        '5:19': 'docs/runbook.md does not exist next to this document. Correct the path, or remove the link.',
      },
    },
    {
      title: 'An existing page, and text that is not a relative link',
      source: chain(
        'Restart',
        step(
          'Look',
          'See [the runbook](docs/run%20book.md), [below](#restart), [the site](https://example.org), `[code](no.md)`.',
        ),
      ),
      files: ['docs/run book.md'],
    },
    {
      title: 'Pages of a site generator, labels and parts of the forge',
      source: chain(
        'Restart',
        step(
          'Look',
          'See [this](guide.html), [that](restart-label), [a page](docs/guide/) and [open issues](../../issues).',
        ),
      ),
      files: ['guide.md'],
    },
  ],
  'document-invalid-text': [
    {
      title: 'A NUL character',
      source: '# Restart\n\n## Restart it\n\nNow\u0000.\n',
      findings: { '5:4': null },
    },
    { title: 'Any text in any script', source: chain('サービスを再起動する', step('再起動', 'すぐに。👍')) },
  ],
  'document-too-deep': [
    {
      title: 'A quote in a quote in a quote',
      source: `# Restart\n\n## Restart it\n\n${'>'.repeat(70)} deep\n`,
      findings: { '5:1': null },
    },
    {
      title: 'A list inside a list',
      source: chain('Restart', step('Restart it', '- first\n  - then\n    - last')),
    },
  ],
  'document-too-large': [
    {
      title: 'A megabyte of text',
      source: `# Copy of a manual\n\n${'All work and no play. '.repeat(50_000)}\n`,
      findings: { '1:1': null },
    },
    { title: 'A protocol of the usual size', source: chain('Restart', step('Restart it', 'Now.')) },
  ],
  'fence-inline': [
    {
      title: 'A fence after a colon',
      source: chain('Restart', step('Look', 'Run: ```bash\nuptime\n```\n\nand wait.')),
      findings: { '5:6': null },
      fixed: chain('Restart', step('Look', 'Run:\n\n```bash\nuptime\n```\n\nand wait.')),
    },
    {
      title: 'A fence on its own line, and code inside a sentence',
      source: chain(
        'Restart',
        step('Look', 'Run ```uptime``` or:\n\n```bash\nuptime\n```'),
        step('Ask', '```gpg-connect-agent /bye```\n\nThe column is ```lvl```'),
      ),
    },
  ],
  'fence-nested': [
    {
      title: 'Both have three backticks',
      source: chain(
        'Write a page',
        step('Write it', '```markdown\nRun this:\n\n```bash\nuptime\n```\n\nDone.\n```'),
      ),
      findings: { '8:1': null },
    },
    {
      title: 'The outer one has four',
      source: chain(
        'Write a page',
        step('Write it', '````markdown\nRun this:\n\n```bash\nuptime\n```\n\nDone.\n````'),
      ),
    },
  ],
  'fence-unclosed': [
    {
      title: 'The rest of the document becomes code',
      source: `# Restart\n\n## Look\n\n\`\`\`bash\nuptime\n\n## Restart it\n\nNow.\n`,
      findings: { '5:1': null },
    },
    {
      title: 'A fence that is closed',
      source: chain('Restart', step('Look', '```bash\nuptime\n```'), step('Restart it', 'Now.')),
    },
  ],
  'hidden-character': [
    {
      title: 'A right-to-left override in a step',
      source:
        '# Pay the invoice\n\n## Check the account\n\nSend it to \u202etnuocca\u202c of the customer.\n',
      findings: {
        '5:12':
          'The text contains the hidden character U+202E. Remove it; if the text is about the character, give its number.',
        '5:20': null,
      },
      fixed: '# Pay the invoice\n\n## Check the account\n\nSend it to tnuocca of the customer.\n',
    },
    {
      title: 'A zero width space in a command, as an escape',
      source: chain(
        'Clean up',
        fullStep('Remove', 'The old ones.', shellBlock('rm -f old')).replace('-f', '-f\\u200b'),
      ),
      findings: { '8:60': 'The step block contains the hidden character U+200B. Remove it.' },
      fixed: chain('Clean up', fullStep('Remove', 'The old ones.', shellBlock('rm -f old'))),
    },
    {
      title: 'A selector in a pattern in YAML, as an escape',
      source: PATTERN.replace('ready', 'ready\\U000E0100'),
      findings: { '12:28': null },
      fixed: PATTERN,
    },
    {
      title: 'Text in any script, with emoji, and a question with one',
      source: `# Перевірити резервну копію\n\n## 確認する\n\nAlles gut 👍🏽.\n\n${ASKED}\n`,
    },
  ],
  'html-unclosed': [
    {
      title: 'A comment without an end',
      source: chain('Restart', step('Look', '<!-- Ask first.\n\nRun uptime.'), step('Restart it', 'Now.')),
      findings: { '5:1': null },
    },
    {
      title: 'A comment with an end',
      source: chain(
        'Restart',
        step('Look', '<!-- Ask\nfirst. -->\n\nRun uptime.'),
        step('Restart it', 'Now.'),
      ),
    },
  ],
  'invisible-in-text': [
    {
      title: 'A zero width space in a command to copy',
      source: chain('Restart', step('Restart it', 'Run `systemctl\u200b restart web`.')),
      findings: { '5:15': 'The text contains the hidden character U+200B. Remove it.' },
      fixed: chain('Restart', step('Restart it', 'Run `systemctl restart web`.')),
    },
    {
      title: 'Selectors after an emoji that does not use them',
      source: chain('Restart', step('Restart it', 'Done 😀\ufe0f\udb40\udd68\udb40\udd69.')),
      findings: { '5:9': null, '5:11': null },
      fixed: chain('Restart', step('Restart it', 'Done 😀\ufe0f.')),
    },
    {
      title: 'Emoji and scripts that are written with them',
      source: chain(
        'Restart',
        step('بازنشانی می\u200cشود', 'Careful ⚠️: 👩‍💻 1️⃣ हिन्दी क्\u200dष 葛\udb40\udd00城.'),
      ),
    },
  ],
  'kairos-uri-malformed': [
    {
      title: 'A group too few',
      source: chain('Restart', step('Continue', 'Then follow kairos://mem/9d12288b-c054-5490-8984.')),
      findings: {
        '5:13':
          'kairos://mem/9d12288b-c054-5490-8984 is not an address of a protocol. Write kairos://mem/ and a UUID, as kairos search shows it.',
      },
    },
    {
      title: 'A whole address, and the form in general',
      source: chain(
        'Restart',
        step(
          'Continue',
          'Follow kairos://mem/9d12288b-c054-5490-8984-d78ab2d45a5e. Each is `kairos://mem/<uuid>`.',
        ),
      ),
    },
  ],
};
