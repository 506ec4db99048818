import { chain, type RuleExamples, step } from './build.ts';

const DRAIN = chain('Drain', step('Drain', 'Drain {{HOST}}.'));
const PUSH = chain('Push', step('Push', 'Push it.\n\n```sh proof timeout=1m\ngit push origin main\n```'));
const BODY = chain('Deploy', step('Deploy', 'Deploy it.'));

export const FRONTMATTER_EXAMPLES: RuleExamples = {
  'duplicate-slug': [
    {
      title: 'Two titles in one file that differ in punctuation only',
      source: `${chain('Roll back', step('Undo', 'It.'))}\n${chain('Roll-back!', step('Undo', 'It.'))}`,
      findings: { '7:1': null },
    },
    {
      title: 'Two files',
      source: `---\nslug: deploy\n---\n${chain('Deploy the site', step('Do', 'It.'))}`,
      others: [{ path: 'deploy.md', source: chain('Deploy', step('Do', 'It.')) }],
      findings: {
        '1:1':
          'The slug "deploy" already belongs to "Deploy" in deploy.md, so only one of the two can be kept. Give this one a different slug in the frontmatter.',
      },
    },
    {
      title: 'Different slugs',
      source: chain('Deploy the site', step('Do', 'It.')),
      others: [{ path: 'deploy.md', source: chain('Deploy', step('Do', 'It.')) }],
    },
  ],
  'frontmatter-bad-holds': [
    {
      title: 'Two commands, and a key that does not exist',
      source: `---\nholds:\n  - match: { command: git push; git tag }\n  - match: { command: git push }\n    unless: open\n---\n${PUSH}`,
      findings: {
        '3:23':
          '`holds[0].match.command` must be one simple command, such as git push; * stands for any text in a word. Write for example `holds: [{match: {command: git push}}]`.',
        '5:5': null,
      },
    },
    {
      title: 'A command and a tool',
      source: `---\nholds:\n  - match: { command: git push }\n  - match: { tool: github/merge_pull_request }\n    allow_when: open\n---\n${PUSH}`,
    },
  ],
  'frontmatter-bad-inputs': [
    {
      title: 'A name in lower case',
      source: '---\ninputs:\n  host: { description: Host to drain }\n---\n# Drain\n\n## Drain\n\nDrain it.\n',
      findings: { '3:3': null },
    },
    {
      title: 'A default that the pattern refuses',
      source: `---\ninputs:\n  HOST: { pattern: '[a-z]+', default: lb1 }\n---\n${DRAIN}`,
      findings: { '3:39': null },
    },
    {
      title: 'A required and an optional input',
      source: `---\ninputs:\n  HOST: { description: Host to drain }\n  RETRIES: { type: number, default: 3 }\n---\n${chain('Drain', step('Drain', 'Drain {{HOST}} at most {{RETRIES}} times.'))}`,
    },
  ],
  'frontmatter-bad-slug': [
    {
      title: 'Capitals and spaces',
      source: `---\nslug: Release NPM package\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:7': null },
      fixed: `---\nslug: release-npm-package\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'A number',
      source: `---\nslug: 2024\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:7': null },
      fixed: `---\nslug: "2024"\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'A slug',
      source: `---\nslug: release-npm-package-2\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
  ],
  'frontmatter-bad-tags': [
    {
      title: 'A text with commas',
      source: `---\ntags: release, npm\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:7': null },
      fixed: `---\ntags: [release, npm]\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'A number in the list',
      source: `---\ntags: [release, 2024]\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:7': null },
    },
    { title: 'A list', source: `---\ntags: [release, npm]\n---\n${chain('Release', step('Do', 'It.'))}` },
  ],
  'frontmatter-bad-version': [
    {
      title: 'A number with one dot',
      source: `---\nversion: 1.2\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:10': null },
      fixed: `---\nversion: 1.2.0\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'A letter before it',
      source: `---\nversion: "v1.2.3"\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:10': null },
      fixed: `---\nversion: 1.2.3\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
    {
      title: 'No version at all',
      source: `---\nversion: next\n---\n${chain('Release', step('Do', 'It.'))}`,
      findings: { '2:10': null },
    },
    {
      title: 'A semantic version',
      source: `---\nversion: 1.2.3-rc.1\n---\n${chain('Release', step('Do', 'It.'))}`,
    },
  ],
  'frontmatter-misplaced': [
    {
      title: 'Two files in one',
      source: `${chain('Deploy', step('Do', 'It.'))}\n---\nslug: roll-back\n---\n\n${chain('Roll back', step('Undo', 'It.'))}`,
      findings: { '7:1': null },
    },
    { title: 'A rule in the text', source: chain('Deploy', step('Do', 'It.\n\n---\n\nCarefully.')) },
  ],
  'frontmatter-unknown-key': [
    {
      title: 'A slip',
      source: `---\nslugg: deploy-site\nversion: 1.0.0\n---\n${BODY}`,
      findings: { '2:1': 'The key slugg is not read, so it has no effect. Did you mean slug?' },
      fixed: `---\nslug: deploy-site\nversion: 1.0.0\n---\n${BODY}`,
    },
    {
      title: 'Something that is not a matter of frontmatter',
      source: `---\ntimeout_seconds: 60\n---\n${BODY}`,
      findings: {
        '2:1':
          'The key timeout_seconds is not read, so it has no effect. Remove it; slug, version, tags, inputs and holds are read.',
      },
    },
    {
      title: 'What is read, and what other tools read',
      source: `---\nslug: deploy-site\ntags: [deploy]\ntitle: Deploy\nlayout: page\n---\n${BODY}`,
    },
  ],
  'frontmatter-unreadable': [
    {
      title: 'A colon inside of a value',
      source: `---\nslug: deploy\ntitle: Deploy: the long way\n---\n${chain('Deploy', step('Do', 'It.'))}`,
      findings: { '3:8': null },
    },
    {
      title: 'A value in quotes',
      source: `---\nslug: deploy\ntitle: "Deploy: the long way"\n---\n${chain('Deploy', step('Do', 'It.'))}`,
    },
  ],
  'frontmatter-unterminated': [
    {
      title: 'No closing line',
      source: `---\nslug: deploy\n\n${chain('Deploy', step('Do', 'It.'))}`,
      findings: { '1:1': null },
    },
    { title: 'Closed', source: `---\nslug: deploy\n---\n\n${chain('Deploy', step('Do', 'It.'))}` },
  ],
  'frontmatter-unused-key': [
    {
      title: 'A title next to the title',
      source: `---\ntitle: Deploy the site\n---\n${BODY}`,
      findings: {
        '2:1':
          "kairos doesn't read the key title: its value isn't shown, searched or minted. Put the information into the text, or keep the keys for the tool that reads them.",
      },
    },
    {
      title: 'Several keys of a site generator',
      source: `---\ntitle: Deploy the site\nlayout: page\nslug: deploy-site\n---\n${BODY}`,
      findings: { '2:1': null },
    },
    { title: 'Keys that are read', source: `---\nslug: deploy-site\n---\n${BODY}` },
  ],
  'hold-never-passes': [
    {
      title: 'A command that no step demands',
      source: `---\nholds: [{ match: { command: npm publish } }]\n---\n${PUSH}`,
      findings: {
        '2:1':
          'No step demands npm publish, so the hold never lets a call through. Add a step with it as its proof, or remove the hold.',
      },
    },
    {
      title: 'A step that does not exist',
      source: `---\nholds: [{ match: { command: git push }, step: 2 }]\n---\n${PUSH}`,
      findings: { '2:1': null },
    },
    {
      title: 'A command that a step demands',
      source: `---\nholds: [{ match: { command: git push } }]\n---\n${PUSH}`,
    },
  ],
  'input-unused': [
    {
      title: 'An input that no step uses',
      source: `---\ninputs:\n  HOST: { description: Host to drain }\n---\n${chain('Drain', step('Drain', 'Drain it.\n\n```sh proof timeout=1m\ndrain lb1\n```'))}`,
      findings: {
        '2:1':
          'No step uses the input HOST. Use it as "$HOST" in a command or {{HOST}} in a text, or remove it.',
      },
    },
    {
      title: 'Used in a command, and in a text',
      source: `---\ninputs:\n  HOST: { description: Host to drain }\n  ZONE: { choices: [eu, us] }\n---\n${chain('Drain', step('Drain', 'Drain it in {{ZONE}}.\n\n```sh proof timeout=1m\ndrain "$HOST"\n```'))}`,
    },
  ],
};
