import { describe, expect, it } from 'vitest';
import { readHoldList } from '../../src/protocol/holds.ts';
import { digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { describeProblem } from '../../src/protocol/problems.ts';
import { renderChain } from '../../src/protocol/render.ts';

const document = (holds: string, more = '') =>
  `---\nslug: release\nholds: ${holds}\n---\n# Release\n\n## Push\n\nPush it.\n${more}`;
const contentOf = async (source: string) => {
  const { document: parsed, messages } = await parseProtocol(source);
  return { content: toContent(parsed.chains[0]!), problems: messages };
};

/** The faults of one entry of a list. */
function faultsOf(match: object): string[] {
  const reading = readHoldList({ holds: [{ match, protocol: 'release' }] });
  return reading.ok ? [] : reading.problems;
}

describe('an entry that can cover no call', () => {
  it.each([
    ['Git Push', 'covers no call, because git has no subcommand Push; did you mean git push?'],
    ['NPM Publish', 'covers no call, because npm has no subcommand Publish; did you mean npm publish?'],
    ["'git push'", 'has quotes around a blank'],
    ['git "" push', 'has quotes around a blank or around nothing'],
    ['""', 'has quotes around'],
    ['git push --help', 'covers no call; write the program and its first words'],
    ['git -C /srv push', 'covers no call'],
    ['git --no-pager push', 'covers no call'],
    ['git {push,pull}', 'must be one simple command'],
  ])('is reported: command %s', (command, fault) => {
    expect(faultsOf({ command })).toEqual([expect.stringContaining(`holds.0.match.command: ${fault}`)]);
  });

  it.each([
    [
      'mcp__github__merge_pull_request',
      'has the name that one client gives to a tool; write github/merge_pull_request,',
    ],
    ['mcp:merge', 'has the name that one client gives to a tool; write merge,'],
    ['github/merge ', 'has a character that no name of a tool has'],
    ['"merge"', 'has a character'],
    ['merge|push', 'has a character'],
    ['{merge,}', 'has a character'],
    ['^merge$', 'has a character'],
    ['github/', 'has nothing before or behind the slash'],
    ['/merge', 'has nothing before or behind the slash'],
  ])('is reported: tool %s', (tool, fault) => {
    expect(faultsOf({ tool })).toEqual([expect.stringContaining(`holds.0.match.tool: ${fault}`)]);
  });

  it.each([
    ...[
      'Git push',
      'git.exe push',
      'deploy.bat',
      ' git  push ',
      'git "push"',
      'git push *',
      '*',
      'git *',
      'sh deploy.sh',
      './Deploy.sh',
      'make Deploy',
    ],
    ...[
      'npm run Deploy',
      'kubectl -n Prod delete',
      'docker --context x push',
      'gh Deploy',
      'git Deploy',
      'git branch -D',
    ],
  ])('is not: command %s', (command) => {
    expect(faultsOf({ command })).toEqual([]);
  });

  it.each(['merge', 'Git-Hub/merge.pull_request', '*/merge*', 'a/b/c', '*'])('is not: tool %s', (tool) => {
    expect(faultsOf({ tool })).toEqual([]);
  });
});

describe('the holds of a protocol', () => {
  it('are part of its content, with defaults filled in', async () => {
    const { content, problems } = await contentOf(
      document(
        '[{match: {command: git push}}, {match: {tool: gh/*, arguments: {n: 1}}, step: 1, else: ask}]',
      ),
    );
    expect(problems).toEqual([]);
    expect(content.holds).toEqual([
      { match: { command: 'git push' }, allow_when: 'demanded', else: 'deny' },
      { match: { tool: 'gh/*', arguments: { n: 1 } }, step: 1, allow_when: 'demanded', else: 'ask' },
    ]);
  });

  it('have the same digest however they are written, and after rendering', async () => {
    const { content } = await contentOf(document('[{match: {command: git push}}]'));
    const long = document(
      '\n  - match:\n      command: "git push"\n    allow_when: demanded\n    else: deny',
    );
    expect(digest((await contentOf(long)).content)).toBe(digest(content));
    expect((await contentOf(renderChain(content))).content).toEqual(content);
  });

  it('leave the digest of a protocol without them alone', async () => {
    const { content } = await contentOf('# Release\n\n## Push\n\nPush it.\n');
    expect(content).not.toHaveProperty('holds');
    const empty = await contentOf(document('[]').replace('slug: release\n', ''));
    expect(digest(empty.content)).toBe(digest(content));
  });

  it.each([
    ['push', 3, 8, '`holds` must be a list of holds.'],
    ['[push]', 3, 9, '`holds[0]` must be a mapping.'],
    ['[{step: 1}]', 3, 9, '`holds[0].match` is missing.'],
    [
      '[{match: {command: a; b}}]',
      3,
      27,
      '`holds[0].match.command` must be one simple command, such as git push; * stands for any text in a word.',
    ],
    ['[{match: {}}]', 3, 17, '`holds[0].match` must name either a command or a tool.'],
    [
      '[{match: {command: a, arguments: {}}}]',
      3,
      17,
      '`holds[0].match` has arguments, which only a tool has.',
    ],
    ['[{match: {tool: a}, step: 0}]', 3, 34, '`holds[0].step` must be a whole number from 1.'],
    ['[{match: {tool: a}, else: no}]', 3, 34, '`holds[0].else` must be deny or ask.'],
    [
      '[{match: {tool: a}, protocol: b}]',
      3,
      28,
      '`holds[0].protocol` is an unknown key; the keys are match, step, allow_when, else.',
    ],
  ])('report %s with its place', async (holds, line, column, reason) => {
    const { content, problems } = await contentOf(document(holds));
    expect(problems.map(({ place }) => place.start)).toMatchObject([{ line, column }]);
    expect(describeProblem(problems[0]!).reason).toBe(reason);
    expect(content).not.toHaveProperty('holds');
  });
});

describe('a hold list', () => {
  it('reports what is not a list', () => {
    expect([readHoldList([]), readHoldList({ hold: [] })]).toMatchObject([
      { problems: ['must be a mapping with the key holds'] },
      { problems: ['hold: is an unknown key; did you mean holds?', 'holds: must be a list of holds'] },
    ]);
  });
});
