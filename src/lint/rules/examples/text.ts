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
      findings: [
        {
          line: 5,
          column: 19,
          reason:
            'docs/runbook.md does not exist next to this document. Correct the path, or remove the link.',
        },
      ],
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
      findings: [],
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
      findings: [],
    },
  ],
  'document-invalid-text': [
    {
      title: 'A NUL character',
      source: '# Restart\n\n## Restart it\n\nNow\u0000.\n',
      findings: [{ line: 5, column: 4 }],
    },
    {
      title: 'Any text in any script',
      source: chain('サービスを再起動する', step('再起動', 'すぐに。👍')),
      findings: [],
    },
  ],
  'document-too-deep': [
    {
      title: 'A quote in a quote in a quote',
      source: `# Restart\n\n## Restart it\n\n${'>'.repeat(70)} deep\n`,
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'A list inside a list',
      source: chain('Restart', step('Restart it', '- first\n  - then\n    - last')),
      findings: [],
    },
  ],
  'document-too-large': [
    {
      title: 'A megabyte of text',
      source: `# Copy of a manual\n\n${'All work and no play. '.repeat(50_000)}\n`,
      findings: [{ line: 1, column: 1 }],
    },
    {
      title: 'A protocol of the usual size',
      source: chain('Restart', step('Restart it', 'Now.')),
      findings: [],
    },
  ],
  'fence-inline': [
    {
      title: 'A fence after a colon',
      source: chain('Restart', step('Look', 'Run: ```bash\nuptime\n```\n\nand wait.')),
      findings: [{ line: 5, column: 6 }],
      fixed: chain('Restart', step('Look', 'Run:\n\n```bash\nuptime\n```\n\nand wait.')),
    },
    {
      title: 'A fence on its own line, and code inside a sentence',
      source: chain(
        'Restart',
        step('Look', 'Run ```uptime``` or:\n\n```bash\nuptime\n```'),
        step('Ask', '```gpg-connect-agent /bye```\n\nThe column is ```lvl```'),
      ),
      findings: [],
    },
  ],
  'fence-nested': [
    {
      title: 'Both have three backticks',
      source: chain(
        'Write a page',
        step('Write it', '```markdown\nRun this:\n\n```bash\nuptime\n```\n\nDone.\n```'),
      ),
      findings: [{ line: 8, column: 1 }],
    },
    {
      title: 'The outer one has four',
      source: chain(
        'Write a page',
        step('Write it', '````markdown\nRun this:\n\n```bash\nuptime\n```\n\nDone.\n````'),
      ),
      findings: [],
    },
  ],
  'fence-unclosed': [
    {
      title: 'The rest of the document becomes code',
      source: `# Restart\n\n## Look\n\n\`\`\`bash\nuptime\n\n## Restart it\n\nNow.\n`,
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'A fence that is closed',
      source: chain('Restart', step('Look', '```bash\nuptime\n```'), step('Restart it', 'Now.')),
      findings: [],
    },
  ],
  'hidden-character': [
    {
      title: 'A right-to-left override in a step',
      source:
        '# Pay the invoice\n\n## Check the account\n\nSend it to \u202etnuocca\u202c of the customer.\n',
      findings: [
        {
          line: 5,
          column: 12,
          reason:
            'The text contains the hidden character U+202E. Remove it; if the text is about the character, give its number.',
        },
        { line: 5, column: 20 },
      ],
      fixed: '# Pay the invoice\n\n## Check the account\n\nSend it to tnuocca of the customer.\n',
    },
    {
      title: 'A zero width space in a command, as an escape',
      source: chain(
        'Clean up',
        fullStep('Remove', 'The old ones.', shellBlock('rm -f old')).replace('-f', '-f\\u200b'),
      ),
      findings: [
        {
          line: 8,
          column: 60,
          reason: 'The step block contains the hidden character U+200B. Remove it.',
        },
      ],
      fixed: chain('Clean up', fullStep('Remove', 'The old ones.', shellBlock('rm -f old'))),
    },
    {
      title: 'A selector in a pattern in YAML, as an escape',
      source: PATTERN.replace('ready', 'ready\\U000E0100'),
      findings: [{ line: 12, column: 28 }],
      fixed: PATTERN,
    },
    {
      title: 'Text in any script, with emoji, and a question with one',
      source: `# Перевірити резервну копію\n\n## 確認する\n\nAlles gut 👍🏽.\n\n${ASKED}\n`,
      findings: [],
    },
  ],
  'html-unclosed': [
    {
      title: 'A comment without an end',
      source: chain('Restart', step('Look', '<!-- Ask first.\n\nRun uptime.'), step('Restart it', 'Now.')),
      findings: [{ line: 5, column: 1 }],
    },
    {
      title: 'A comment with an end',
      source: chain(
        'Restart',
        step('Look', '<!-- Ask\nfirst. -->\n\nRun uptime.'),
        step('Restart it', 'Now.'),
      ),
      findings: [],
    },
  ],
  'invisible-in-text': [
    {
      title: 'A zero width space in a command to copy',
      source: chain('Restart', step('Restart it', 'Run `systemctl\u200b restart web`.')),
      findings: [
        {
          line: 5,
          column: 15,
          reason: 'The text contains the hidden character U+200B. Remove it.',
        },
      ],
      fixed: chain('Restart', step('Restart it', 'Run `systemctl restart web`.')),
    },
    {
      title: 'Selectors after an emoji that does not use them',
      source: chain('Restart', step('Restart it', 'Done 😀\ufe0f\udb40\udd68\udb40\udd69.')),
      findings: [
        { line: 5, column: 9 },
        { line: 5, column: 11 },
      ],
      fixed: chain('Restart', step('Restart it', 'Done 😀\ufe0f.')),
    },
    {
      title: 'Emoji and scripts that are written with them',
      source: chain(
        'Restart',
        step('بازنشانی می\u200cشود', 'Careful ⚠️: 👩‍💻 1️⃣ हिन्दी क्\u200dष 葛\udb40\udd00城.'),
      ),
      findings: [],
    },
  ],
  'kairos-uri-malformed': [
    {
      title: 'A group too few',
      source: chain('Restart', step('Continue', 'Then follow kairos://mem/9d12288b-c054-5490-8984.')),
      findings: [
        {
          line: 5,
          column: 13,
          reason:
            'kairos://mem/9d12288b-c054-5490-8984 is not an address of a protocol. Write kairos://mem/ and a UUID, as kairos search shows it.',
        },
      ],
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
      findings: [],
    },
  ],
};
