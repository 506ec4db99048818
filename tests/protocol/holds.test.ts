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
