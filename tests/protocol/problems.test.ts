import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { describeProblem } from '../../src/protocol/problems.ts';
import { oneStep } from './told.ts';

const json = (value: string, tag = 'json'): string => oneStep(`\`\`\`${tag}\n${value}\n\`\`\``);
const demand = '{"proof_of_work": {"type": "comment"}}';

/** For each code a document that has the problem. */
const documents: Record<string, string> = {
  'document-too-large': `# T\n${'a'.repeat(1_048_576)}`,
  'document-too-deep': `# T\n\n${'> '.repeat(65)}a`,
  'document-invalid-text': '# T\0',
  'no-h1': 'text',
  'text-before-h1': 'text\n\n# T\n## S\n',
  'no-steps': '# T\n',
  'slug-with-several-chains': '---\nslug: a\n---\n# A\n## x\n# B\n## y\n',
  'duplicate-slug': '# A\n## x\n# A\n## y\n',
  'duplicate-section': '# T\n## S\n## Completion Rule\n## Completion Rule\n',
  'heading-too-long': `# ${'a'.repeat(1001)}\n## S\n`,
  'fence-unclosed': oneStep('```'),
  'fence-nested': oneStep('```md\n```bash\n```'),
  'fence-inline': oneStep('Run ```bash\nls'),
  'html-unclosed': oneStep('<!-- a'),
  'heading-without-space': oneStep('##Approve'),
  'reference-unknown': '---\ninputs: { HOST: {} }\n---\n# T\n## S\n{{HOTS}}\n',
  'reference-in-command': oneStep('```sh proof\ndrain {{HOST}}\n```'),
  'capture-unusable': json(
    '{"proof_of_work": {"type": "comment"}, "captures": [{"name": "A", "from": "stdout"}]}',
  ),
  'frontmatter-bad-inputs': '---\ninputs: { host: {} }\n---\n# T\n## S\n',
  'frontmatter-bad-holds': '---\nholds: [{ match: {} }]\n---\n# T\n## S\n',
  'frontmatter-unreadable': '---\na: *b\n---\n# T\n## S\n',
  'frontmatter-unterminated': '---\nslug: a\n# T\n## S\n',
  'frontmatter-misplaced': '# T\n\n---\nslug: a\n---\n\n## S\n',
  'frontmatter-bad-slug': '---\nslug: A\n---\n# T\n## S\n',
  'frontmatter-bad-version': '---\nversion: 1.0\n---\n# T\n## S\n',
  'frontmatter-bad-tags': '---\ntags: a\n---\n# T\n## S\n',
  'block-unreadable': json('{"proof_of_work": {},}'),
  'block-invalid': json('{"proof_of_work": {"type": "shell", "shell": {}}}'),
  'block-unknown-key': json('{"proof_of_work": {"type": "comment", "assurence": "claimed"}}'),
  'block-wrong-language': json(demand, ''),
  'block-not-last': oneStep(`\`\`\`json\n${demand}\n\`\`\`\n\n~~~\n~~~`),
  'block-duplicate': oneStep(`\`\`\`json\n${demand}\n\`\`\`\n\n\`\`\`json\n${demand}\n\`\`\``),
  'block-nested': oneStep(`> PROOF OF WORK: a`),
  'block-outside-step': `# T\n\nPROOF OF WORK: a\n\n## S\n`,
  'block-pseudo-fence': oneStep('Example: ```json\n{}'),
  'block-unfenced': oneStep(demand),
  'block-unclosed-fence': oneStep(`\`\`\`json\n${demand}`),
  'block-bad-pattern': json('{"outputs": [{"path": "a", "matches": "("}]}'),
  'legacy-challenge-key': json('{"challenge": {"type": "comment"}}'),
  'legacy-proof-line': oneStep('PROOF OF WORK: `a` b'),
  'legacy-missing-type': json('{"proof_of_work": {"comment": {}}}'),
  'legacy-interpreter-flags': json(
    '{"proof_of_work": {"type": "shell", "shell": {"cmd": "a", "flags": []}}}',
  ),
  'legacy-flat-shell': json('{"proof_of_work": {"cmd": "a"}}'),
};

/** Every code in the union of the model. */
const codes = [
  ...readFileSync(new URL('../../src/protocol/model.ts', import.meta.url), 'utf8')
    .split('export type ProblemCode')[1]!
    .split(';')[0]!
    .matchAll(/'([a-z0-9-]+)'/g),
].map(([, code]) => code!);

async function problemOf(code: string): Promise<Problem> {
  const { messages } = await parseProtocol(documents[code]!);
  const problem = messages.find((message) => message.code === code);
  expect(problem, code).toBeDefined();
  return problem!;
}

describe('describeProblem', () => {
  it('has a document for every code', () => {
    expect(Object.keys(documents).sort()).toEqual([...codes].sort());
  });

  it.each(codes)('puts %s into words', async (code) => {
    const { reason, hint } = describeProblem(await problemOf(code));
    expect(`${reason}\n${hint}`).toMatchSnapshot();
    expect(`${reason} ${hint}`).not.toMatch(/undefined|NaN|\[object| {2}/);
    for (const sentence of [reason, hint]) expect(sentence).toMatch(/^[`"\dA-Z][\s\S]*[.:?}]$/);
  });

  it.each([
    ['no type', '{"required": true}'],
    ['a wrong type', '{"type": "shell", "shell": {"cmd": 1}}'],
    ['too large', '{"type": "shell", "shell": {"cmd": "a", "timeout_seconds": 100000}}'],
    ['an empty text', '{"type": "user_input", "user_input": {"prompt": ""}}'],
    ['no choice', '{"type": "user_input", "user_input": {"prompt": "a", "choices": []}}'],
    ['a bad name', '{"type": "shell", "shell": {"cmd": "a", "env": ["A=1"]}}'],
    ['one of several', '{"type": "comment", "assurance": "sure"}'],
    ['a number that cannot be kept', '{"type": "mcp", "mcp": {"tool_name": "a", "expected_result": 1e400}}'],
    ['a key of JavaScript', '{"type": "shell", "shell": {"constructor": 1, "toString": 2}}'],
  ])('explains %s', async (_, proof) => {
    const { messages } = await parseProtocol(json(`{"proof_of_work": ${proof}}`));
    const words = messages.map(describeProblem).map(({ reason, hint }) => `${reason}\n${hint}`);
    expect(words.join('\n\n')).toMatchSnapshot();
  });

  it.each([
    '// a',
    "{'proof_of_work': 1}",
    '{"proof_of_work": 1 2}',
    '{"proof_of_work": "a\n"}',
    '{"proof_of_work"',
    '{"proof_of_work": 1} x',
  ])('explains why %j is not JSON', async (text) => {
    const { messages } = await parseProtocol(
      json(text.startsWith('//') ? `{"proof_of_work": ${text}\n}` : text),
    );
    const words = messages.map(describeProblem).map(({ reason, hint }) => `${reason}\n${hint}`);
    expect(words.join('\n\n')).toMatchSnapshot();
  });
});

it('explains what becomes of older interpreter keys that have an effect', () => {
  const at = { line: 1, column: 1, offset: 0 };
  const args = { key: 'flags', path: 'proof_of_work.shell' };
  const said = describeProblem({
    code: 'block-unknown-key',
    severity: 'error',
    place: { start: at, end: at },
    args,
  });
  expect(said.reason).toContain('changes how the interpreter runs the command');
  expect(said.hint).toContain('set -euo pipefail');
});
