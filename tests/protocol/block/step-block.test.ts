import { describe, expect, it } from 'vitest';
import { contentOf, detailsIn, oneStep, problemsIn, stepOf } from '../told.ts';

const json = (value: string, tag = 'json'): string => oneStep(`\`\`\`${tag}\n${value}\n\`\`\``);
const demand = '{"proof_of_work": {"type": "comment"}}';

describe('a step block', () => {
  it.each<[string, string, unknown]>([
    [
      'a comment by default',
      '{"proof_of_work": {"type": "comment"}}',
      { proof_of_work: { type: 'comment', comment: { min_length: 10 }, required: true } },
    ],
    ['outputs alone', '{"outputs": [{"path": "a"}]}', { outputs: [{ path: 'a' }] }],
    [
      'sampling and outputs',
      '{"sampling": {"system": "s", "prompt": "p", "output_schema": {}}, "outputs": [{"path": "a"}]}',
      {
        sampling: {
          system: 's',
          prompt: 'p',
          output_schema: {},
          temperature: 0.2,
          top_p: 0.9,
          max_tokens: 1024,
        },
        outputs: [{ path: 'a' }],
      },
    ],
    ['a proposal', '{"proposal": {"action_type": "delete"}}', { proposal: { action_type: 'delete' } }],
    [
      'a key in escapes',
      '{"proof\\u005fof_work": {"type": "comment"}}',
      { proof_of_work: { type: 'comment', comment: { min_length: 10 }, required: true } },
    ],
  ])('may be %s', async (_, text, value) => {
    const step = await stepOf(json(text));
    expect(step.block).toMatchObject({
      value,
      raw: JSON.parse(text),
      format: 'json',
      spelling: 'proof_of_work',
    });
    expect(step.body).toBe('');
  });

  it('may be YAML', async () => {
    const step = await stepOf(
      oneStep(
        'text\n\n~~~yaml\n# a comment\nproof_of_work:\n  type: shell\n  shell:\n    cmd: |\n      a\n      b\n~~~',
      ),
    );
    expect(step.block?.value.proof_of_work).toMatchObject({ shell: { cmd: 'a\nb\n' } });
    expect(step.block).toMatchObject({ format: 'yaml', spelling: 'proof_of_work' });
    expect(step.body).toBe('text');
  });

  it.each([
    ['JSON about other things', '```json\n{"a": {"proof_of_work": 1}}\n```'],
    ['an empty object', '```json\n{}\n```'],
    ['a list', '```json\n[1, "proof_of_work"]\n```'],
    ['broken JSON about other things', '```json\n{"work": ..., "proof": {"challenge": 1}}\n```'],
    ['YAML about other things', '```yaml\non: push\njobs: {work: 1}\n```'],
    ['a template that is no YAML', '```yaml\nname: {{ work }}\n```'],
    ['several YAML documents', '```yaml\na: work\n---\nb: 1\n```'],
    [
      'an example in a longer fence',
      '````markdown\n## A\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n\nPROOF OF WORK: x\n````',
    ],
    ['an example in a fence for markdown', '```markdown\nPROOF OF WORK: npm test\n{"challenge": 1}\n```'],
    ['code that reads a key', '```js\nconst { challenge: a } = b; use({ challenge: 1 });\n```'],
    ['an answer of the tools under another tag', '```js\n{"must_obey": true, "challenge": {}}\n```'],
    ['a word in a comment', 'Put it at `<!-- challenge -->`.\n\n<!-- challenge -->'],
    ['JSON in a code span of a list', '- `{"challenge": {"type": "shell"}}`'],
    [
      'words about it',
      'The proof of work: none here? See "PROOF OF WORK: x" and proof_of_work.'.replace(
        'The proof of work: none here? ',
        '',
      ),
    ],
    ['a proof of something else', '```json\n{"proof_of_stake": {"type": "x"}}\n```'],
    ['a typed object among others', '```json\n{"a": {"type": "shell", "shell": {}}, "b": 1}\n```'],
  ])('is not %s', async (_, body) => {
    expect(await problemsIn(oneStep(body))).toEqual([]);
    const step = await stepOf(oneStep(body));
    expect([step.block, step.body]).toEqual([null, body]);
  });

  it('may follow other code and come before text', async () => {
    const { steps } = await contentOf(
      oneStep(`\`\`\`json\n{"a": 1}\n\`\`\`\n\n\`\`\`json\n${demand}\n\`\`\`\n\nThe end.`),
    );
    expect(steps[0]).toMatchObject({
      body: '```json\n{"a": 1}\n```\n\nThe end.',
      block: { proof_of_work: { type: 'comment' } },
    });
  });
});

describe('what is meant as a step block is never read as ordinary code', () => {
  const cut = demand.slice(0, -1);
  it.each<[string, string, string]>([
    ['JSON in YAML, a bracket too few', json(cut, 'yaml'), 'block-unreadable'],
    [
      'YAML in braces, a bracket too few',
      json('{proof_of_work: {type: comment}', 'yaml'),
      'block-unreadable',
    ],
    ['YAML with a space before it', json(' proof_of_work: {type: comment', 'yaml'), 'block-unreadable'],
    ['YAML with an explicit key', json('? proof_of_work\n: {type: comment', 'yaml'), 'block-unreadable'],
    ['no brackets around it', json('"proof_of_work": {"type": "comment"}'), 'block-unreadable'],
    ['YAML under the tag of JSON', json('proof_of_work: {"type": "comment"}'), 'block-unreadable'],
    ['an equals sign', json('{ proof_of_work = {"type": "comment"}}'), 'block-unreadable'],
    ['a comment before JSON', json(`// gate\n${demand}`), 'block-unreadable'],
    ['a comment before', json(`// gate\n${demand}`, 'jsonc'), 'block-wrong-language'],
    ['a comment within', json(`{/* c */${demand.slice(1)}`, 'jsonc'), 'block-wrong-language'],
    ['a line of comment within', json(`{ // c\n${demand.slice(1)}`, 'json5'), 'block-wrong-language'],
    ['a comment before, in hjson', json(`/* a */ // b\n${demand}`, 'hjson'), 'block-wrong-language'],
  ])('%s', async (_, source, code) => {
    const found = await problemsIn(source);
    expect(found.map((problem) => problem.split(' ')[0])).toEqual([code]);
    const step = await stepOf(source);
    expect(step.block).toBeNull();
  });

  it.each([
    ['YAML about other things', json('a: {b: c', 'yaml')],
    ['JSON about other things', json('{"a": {"b": ')],
    ['a script that begins with a comment', json('// proof\nconst a = {};', 'js')],
    ['a comment that is not closed', json('/* proof_of_work', 'jsonc')],
  ])('but not %s', async (_, source) => {
    expect(await problemsIn(source)).toEqual([]);
  });
});

describe('a step block that cannot be used', () => {
  const fenced = `\`\`\`json\n${demand}\n\`\`\``;
  const told = `\`\`\`json⏎${demand}⏎\`\`\``;

  it.each<[string, string, string[]]>([
    ['a comment in JSON', json('{"proof_of_work": // no\n{}}'), ['block-unreadable 6:19 // no']],
    ['a trailing comma', json('{"proof_of_work": {"type": "comment",}}'), ['block-unreadable 6:38 }']],
    ['curly quotes', json('{“proof_of_work”: {}}'), ['block-unreadable 6:2 “proof_of_work”']],
    ['single quotes', json("{'proof_of_work': {}}"), ["block-unreadable 6:2 'proof_of_work'"]],
    ['keys without quotes', json('{proof_of_work: {}}'), ['block-unreadable 6:2 proof_of_work']],
    ['a bracket too few', json('{"proof_of_work": {"type": "comment"}'), ['block-unreadable 6:38']],
    ['no value', json('{"proof_of_work"'), ['block-unreadable 6:17']],
    ['a bracket too many', json('{"proof_of_work": {}}}'), ['block-unreadable 6:22 }']],
    ['a missing comma', json('{"proof_of_work": {} "outputs": []}'), ['block-unreadable 6:22 "outputs"']],
    [
      'a line break in a text',
      json('{"proof_of_work": {"shell": {"cmd": "a\nb"}}}'),
      ['block-unreadable 6:37 "a'],
    ],
    ['a bad escape', json('{"challenge": {"shell": {"cmd": "\\."}}}'), ['block-unreadable 6:33 "\\."']],
    [
      'a key twice',
      json('{"proof_of_work": {"type": "comment", "type": "shell"}}'),
      ['block-invalid 6:39 "type"', 'block-invalid 6:19 {"type": "comment", "type": "shell"}'].sort(),
    ],
    ['nesting', json(`{"proof_of_work": ${'['.repeat(70)}${']'.repeat(70)}}`), ['document-too-deep 6:82 [']],
    ['a list around it', json(`[${demand}]`), [`block-invalid 6:1 [${demand}]`]],
    [
      'a misspelt key',
      json('{"proof-of-work": {"type": "comment"}}'),
      ['block-unknown-key 6:2 "proof-of-work"'],
    ],
    [
      'another name',
      json('{"contract": {"type": "comment", "comment": {}}}'),
      ['block-unknown-key 6:2 "contract"'],
    ],
    ['no language', json(demand, ''), [`block-wrong-language 5:1 \`\`\`⏎${demand}⏎\`\`\``]],
    ['another language', json(demand, 'jsonc'), [`block-wrong-language 5:1 \`\`\`jsonc⏎${demand}⏎\`\`\``]],
    [
      'YAML tagged yml',
      json('proof_of_work: {type: comment}', 'yml'),
      ['block-wrong-language 5:1 ```yml⏎proof_of_work: {type: comment}⏎```'],
    ],
    [
      'broken JSON without a language',
      json('{"challenge": ', ''),
      ['block-wrong-language 5:1 ```⏎{"challenge": ⏎```'],
    ],
    ['not the last', oneStep(`${fenced}\n\n\`\`\`bash\nls\n\`\`\``), [`block-not-last 5:1 ${told}`]],
    ['two of them', oneStep(`${fenced}\n\n${fenced}`), [`block-duplicate 5:1 ${told}`]],
    [
      'two and other code',
      oneStep(`${fenced}\n\n${fenced}\n\n~~~\n~~~`),
      [`block-duplicate 5:1 ${told}`, `block-not-last 9:1 ${told}`],
    ],
    [
      'in a list that ends its fence',
      oneStep(`- \`\`\`json\n  ${demand}\n1. b`),
      [`block-nested 5:3 \`\`\`json⏎  ${demand}`],
    ],
    [
      'in a list',
      oneStep(`- a\n\n  \`\`\`json\n  ${demand}\n  \`\`\``),
      [`block-nested 7:3 \`\`\`json⏎  ${demand}⏎  \`\`\``],
    ],
    [
      'right after a list marker',
      oneStep(`1. \`\`\`json\n   ${demand}\n   \`\`\``),
      [`block-nested 5:4 \`\`\`json⏎   ${demand}⏎   \`\`\``],
    ],
    [
      'in a quote',
      oneStep(`> \`\`\`json\n> ${demand}\n> \`\`\``),
      [`block-nested 5:3 \`\`\`json⏎> ${demand}⏎> \`\`\``],
    ],
    [
      'in a footnote',
      oneStep(`[^1]: a\n\n    \`\`\`json\n    ${demand}\n    \`\`\``),
      [`block-nested 7:5 \`\`\`json⏎    ${demand}⏎    \`\`\``],
    ],
    ['in a comment', oneStep(`<!--\n${fenced}\n-->`), ['block-nested 7:1 {"proof_of_work":']],
    ['in a comment in a text', oneStep(`text <!-- ${demand} -->`), ['block-nested 5:11 {"proof_of_work":']],
    ['in an element', oneStep(`<details>\n${fenced}\n</details>`), ['block-nested 7:1 {"proof_of_work":']],
    [
      'YAML in a comment',
      oneStep('<!--\nproof_of_work:\n  type: comment\n-->'),
      ['block-nested 6:1 proof_of_work:'],
    ],
    [
      'in indented code',
      oneStep(`    \`\`\`json\n    ${demand}\n    \`\`\``),
      [`block-nested 5:5 \`\`\`json⏎    ${demand}⏎    \`\`\``],
    ],
    ['indented JSON', oneStep(`    ${demand}`), [`block-nested 5:5 ${demand}`]],
    ['under the title', `# T\n\n${fenced}\n\n## S\n`, [`block-outside-step 3:1 ${told}`]],
    [
      'before the title',
      `${fenced}\n\n# T\n\n## S\n`,
      [`block-outside-step 1:1 ${told}`, `text-before-h1 1:1 ${told}`].sort().reverse(),
    ],
    [
      'in a metadata section',
      `# T\n\n## S\n\n## Completion Rule\n\n${fenced}\n`,
      [`block-outside-step 7:1 ${told}`],
    ],
    [
      'behind text on one line',
      oneStep(`Example: \`\`\`json\n${demand}\n\`\`\`\n\n## Lost`),
      ['block-pseudo-fence 5:10 ```json', 'fence-unclosed 7:1 ```'],
    ],
    ['in a code span', oneStep(`Example: \`\`\`json\n${demand}\`\`\``), ['block-pseudo-fence 5:10 ```json']],
    ['without a fence', oneStep(demand), ['block-unfenced 5:1 {"proof_of_work":']],
    [
      'YAML without a fence',
      oneStep('proof_of_work:\n  type: comment'),
      ['block-unfenced 5:1 proof_of_work:'],
    ],
    [
      'a fence without end',
      `# T\n\n## S\n\n\`\`\`json\n${demand}\n\n## Lost\n`,
      ['block-unclosed-fence 5:1 ```json'],
    ],
    [
      'cut in two by a fence of equal length',
      oneStep(`\`\`\`text\nSee:\n${fenced}\n\`\`\``),
      ['block-nested 7:1 ```json', 'fence-unclosed 10:1 ```'],
    ],
  ])('%s', async (_, source, problems) => {
    expect((await problemsIn(source)).sort()).toEqual([...problems].sort());
    expect((await stepOf(source)).block).toBeNull();
  });

  it('keeps its step in the chain, text and all', async () => {
    const step = await stepOf(json('{"proof_of_work": {}}'));
    expect(step).toMatchObject({
      index: 1,
      label: 'S',
      body: '```json\n{"proof_of_work": {}}\n```',
      block: null,
    });
  });

  it('points into a fence that is indented, with CRLF', async () => {
    const source = oneStep('  ```json\n  {\n    "proof_of_work": {"type": 1}\n  }\n  ```').replaceAll(
      '\n',
      '\r\n',
    );
    expect(await problemsIn(source)).toEqual(['block-invalid 7:31 1']);
  });
});

describe('a value of a step block', () => {
  const proof = (text: string): string => json(`{"proof_of_work": ${text}}`);

  it.each<[string, string, string[]]>([
    ['no object', proof('null'), ['block-invalid 6:19 null']],
    ['no type', proof('{"required": true}'), ['block-invalid 6:19 {"required": true}']],
    ['an unknown type', proof('{"type": "shel"}'), ['block-invalid 6:28 "shel"']],
    ['no definition', proof('{"type": "shell"}'), ['block-invalid 6:19 {"type": "shell"}']],
    ['a missing field', proof('{"type": "shell", "shell": {}}'), ['block-invalid 6:46 {}']],
    ['an empty text', proof('{"type": "shell", "shell": {"cmd": ""}}'), ['block-invalid 6:54 ""']],
    [
      'a wrong type',
      proof('{"type": "shell", "shell": {"cmd": "a", "timeout_seconds": "60"}}'),
      ['block-invalid 6:78 "60"'],
    ],
    [
      'too large',
      proof('{"type": "shell", "shell": {"cmd": "a", "timeout_seconds": 86401}}'),
      ['block-invalid 6:78 86401'],
    ],
    [
      'too small',
      proof('{"type": "shell", "shell": {"cmd": "a", "timeout_seconds": 0}}'),
      ['block-invalid 6:78 0'],
    ],
    ['a fraction', proof('{"type": "comment", "comment": {"min_length": 1.5}}'), ['block-invalid 6:65 1.5']],
    [
      'a bad name',
      proof('{"type": "shell", "shell": {"cmd": "a", "env": ["A", "B=1"]}}'),
      ['block-invalid 6:72 "B=1"'],
    ],
    [
      'an unknown key',
      proof('{"type": "shell", "shell": {"cmd": "a", "timeout_second": 1}, "require": true}'),
      ['block-unknown-key 6:59 "timeout_second"', 'block-unknown-key 6:81 "require"'],
    ],
    [
      'an unknown key beside',
      json(`{"proof_of_work": {"type": "comment"}, "output": []}`),
      ['block-unknown-key 6:40 "output"'],
    ],
    [
      'the object of another type',
      proof('{"type": "shell", "shell": {"cmd": "a"}, "comment": {}}'),
      ['block-unknown-key 6:60 "comment"'],
    ],
    [
      'both names',
      json('{"proof_of_work": {"type": "comment"}, "challenge": {"type": "comment"}}'),
      ['block-invalid 6:40 "challenge"'],
    ],
    [
      'a pattern that RE2 does not take',
      proof('{"type": "shell", "shell": {"cmd": "a", "stdout_matches": "(?=b)"}}'),
      ['block-bad-pattern 6:77 "(?=b)"'],
    ],
    [
      'patterns of answers and outputs',
      json(
        '{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "p", "pattern": "("}}, "outputs": [{"path": "a"}, {"path": "b", "matches": "\\\\1"}]}',
      ),
      ['block-bad-pattern 6:83 "("', 'block-bad-pattern 6:142 "\\\\1"'],
    ],
    [
      'a huge integer',
      proof('{"type": "mcp", "mcp": {"tool_name": "t", "arguments": {"n": 9007199254740993}}}'),
      ['block-invalid 6:80 9007199254740993'],
    ],
    [
      'a number too small for a double',
      proof('{"type": "mcp", "mcp": {"tool_name": "t", "arguments": {"n": -1e-400}}}'),
      ['block-invalid 6:80 -1e-400'],
    ],
    [
      'a number of more digits than a double has',
      proof('{"type": "mcp", "mcp": {"tool_name": "t", "arguments": {"n": 1.00000000000000000001}}}'),
      ['block-invalid 6:80 1.00000000000000000001'],
    ],
    [
      'a number past all bounds',
      proof('{"type": "mcp", "mcp": {"tool_name": "t", "expected_result": 1e999}}'),
      ['block-invalid 6:80 1e999'],
    ],
    [
      'half a surrogate pair',
      proof('{"type": "shell", "shell": {"cmd": "\\ud800"}}'),
      ['block-invalid 6:54 "\\ud800"'],
    ],
    ['NUL', proof('{"type": "shell", "shell": {"cmd": "a\\u0000"}}'), ['block-invalid 6:54 "a\\u0000"']],
    [
      '__proto__',
      proof('{"type": "mcp", "mcp": {"tool_name": "t", "arguments": {"__proto__": 1}}}'),
      ['block-invalid 6:75 "__proto__"'],
    ],
    [
      'a blank command',
      proof('{"type": "shell", "shell": {"cmd": " \\t "}}'),
      ['block-invalid 6:54 " \\t "'],
    ],
    [
      'a result schema that is none',
      proof('{"type": "mcp", "mcp": {"tool_name": "t", "result_schema": {"type": "objekt"}}}'),
      ['block-invalid 6:78 {"type": "objekt"}'],
    ],
    [
      'schemas that cannot be used',
      json(
        '{"outputs": [{"path": "a", "schema": {"$ref": "https://example.org/s"}}], "sampling": {"system": "s", "prompt": "p", "output_schema": {"pattern": "(?=a)"}}}',
      ),
      ['block-invalid 6:38 {"$ref": "https://example.org/s"}', 'block-invalid 6:135 {"pattern": "(?=a)"}'],
    ],
    [
      'a schema of parameters that cannot be used',
      json(
        '{"proposal": {"parameters_schema": {"type": "object", "properties": {"a": {"type": "objekt"}}}}}',
      ),
      ['block-invalid 6:36 {"type": "object", "properties": {"a": {"type": "objekt"}}}'],
    ],
    [
      'a precondition with a pattern that RE2 does not take',
      json(
        '{"proposal": {"preconditions": [{"field": "a", "operator": "matches", "value": "(?=b)", "evidence_ref": "e"}, {"field": "a", "operator": "eq", "value": "(?=b)", "evidence_ref": "e"}]}}',
      ),
      ['block-bad-pattern 6:80 "(?=b)"'],
    ],
    ['no output', json('{"outputs": []}'), ['block-invalid 6:13 []']],
    [
      'a bad digest and pointer',
      json('{"outputs": [{"path": "a", "sha256": "x", "json_pointer": "a"}]}'),
      ['block-invalid 6:38 "x"', 'block-invalid 6:59 "a"'],
    ],
    [
      'everything at once',
      proof(
        '{"type": "shell", "shell": {"cmd": 1, "tmeout_seconds": 1, "stdout_matches": "["}, "assurance": "x"}',
      ),
      [
        'block-invalid 6:54 1',
        'block-unknown-key 6:57 "tmeout_seconds"',
        'block-bad-pattern 6:96 "["',
        'block-invalid 6:115 "x"',
      ],
    ],
  ])('%s', async (_, source, problems) => expect(await problemsIn(source)).toEqual(problems));

  it('is compared with the names that the schema knows there', async () => {
    expect(
      await detailsIn(proof('{"type": "shell", "shell": {"cmd": "a", "timeout_second": 1, "zzz": 1}}')),
    ).toEqual([
      {
        code: 'block-unknown-key',
        key: 'timeout_second',
        path: 'proof_of_work.shell',
        suggestion: 'timeout_seconds',
        known:
          'cmd, timeout_seconds, workdir, env, expect_exit_code, stdout_matches, interactive, interpreter',
      },
      {
        code: 'block-unknown-key',
        key: 'zzz',
        path: 'proof_of_work.shell',
        known:
          'cmd, timeout_seconds, workdir, env, expect_exit_code, stdout_matches, interactive, interpreter',
      },
    ]);
    expect(await detailsIn(json('{"outputs": [{"path": "a", "match": "b"}]}'))).toMatchObject([
      { path: 'outputs[0]', suggestion: 'matches' },
    ]);
  });

  it.each([
    ['&a proof_of_work:\n  type: comment', 'block-unreadable'],
    ['!!str proof_of_work:\n  type: comment', 'block-unreadable'],
    ['? &a proof_of_work\n: type: comment', 'block-unreadable'],
    ['x: &k proof_of_work\n*k :\n  type: comment', 'block-unreadable'],
    ['propsal:\n  action_type: delete', 'block-unknown-key'],
    ['output:\n  - path: dist/a.js\n    exists: true', 'block-unknown-key'],
    ['samplings:\n  prompt: a\n  output_schema: {}', 'block-unknown-key'],
    ['proof_of_work_required:\n  type: comment', 'block-unknown-key'],
    ['capture:\n  - name: TAG\n    from: stdout', 'block-unknown-key'],
    ['outptus:\n  - path: dist/a.js', 'block-unknown-key'],
    ['outpts:\n  - path: dist/a.js', 'block-unknown-key'],
    ['sampeling:\n  prompt: a', 'block-unknown-key'],
    ['captrues:\n  - name: TAG', 'block-unknown-key'],
    ['*k :\n  type: comment', 'block-unreadable'],
  ])('is looked for in %j', async (text, code) => {
    expect((await detailsIn(oneStep(`\`\`\`yaml\n${text}\n\`\`\``))).map((problem) => problem.code)).toEqual([
      code,
    ]);
  });

  it.each([
    'output:\n  path: a',
    'captured:\n  path: a',
    '*.js:\n  path: a',
    'sample: 3',
    'outputs_of: [a]',
    'anchors: &a x\nproof: *a',
  ])('is not seen in %j', async (text) => {
    expect(await detailsIn(oneStep(`\`\`\`yaml\n${text}\n\`\`\``))).toEqual([]);
  });

  it.each([
    [{ interpreter: 'python', flags: ['-c'] }, { interpreter: 'python3' }, ['legacy-interpreter-flags']],
    [
      { interpreter: 'sh', flags: [], args: [] },
      {},
      ['legacy-interpreter-flags', 'legacy-interpreter-flags'],
    ],
    [{ interpreter: 'perl' }, { interpreter: 'perl' }, []],
  ])('reads the interpreter of older protocols: %j', async (older, kept, codes) => {
    const source = proof(JSON.stringify({ type: 'shell', shell: { cmd: 'a', ...older } }));
    expect((await detailsIn(source)).map((problem) => problem.code)).toEqual(codes);
    expect((await stepOf(source)).block?.value.proof_of_work).toEqual({
      type: 'shell',
      shell: { cmd: 'a', timeout_seconds: 60, expect_exit_code: 0, ...kept },
      required: true,
    });
  });

  it.each([
    { flags: ['-w'] },
    { interpreter: 'bash', flags: ['-e'] },
    { interpreter: 'node', flags: ['-c'] },
    { args: ['scripts/a.py'] },
    { interpreter: '/usr/bin/python3' },
  ])('refuses what would change the meaning: %j', async (older) => {
    const source = proof(JSON.stringify({ type: 'shell', shell: { cmd: 'a', ...older } }));
    expect((await stepOf(source)).block).toBeNull();
  });

  it('reports what was expected and found', async () => {
    expect(
      await detailsIn(proof('{"type": "shell", "shell": {"cmd": "a", "timeout_seconds": 0, "env": "A"}}')),
    ).toEqual([
      {
        code: 'block-invalid',
        path: 'proof_of_work.shell.timeout_seconds',
        issue: 'too-small',
        expected: 1,
        origin: 'number',
        actual: '0',
      },
      {
        code: 'block-invalid',
        path: 'proof_of_work.shell.env',
        issue: 'type',
        expected: 'array',
        actual: '"A"',
      },
    ]);
    expect(await detailsIn(proof('{"type": "x"}'))).toEqual([
      {
        code: 'block-invalid',
        path: 'proof_of_work.type',
        issue: 'value',
        expected: 'shell, mcp, user_input, comment',
        actual: '"x"',
      },
    ]);
  });
});

describe('YAML of a step block', () => {
  const yaml = (text: string): string => json(text, 'yaml');

  it.each<[string, string, string[]]>([
    ['no YAML', yaml('proof_of_work: {'), ['block-unreadable 6:17 ⏎']],
    ['tabs', yaml('proof_of_work:\n\ttype: comment'), ['block-unreadable 7:1']],
    [
      'an alias',
      yaml('proof_of_work: &a {type: comment}\noutputs: *a'),
      ['block-unreadable 6:19 {type: comment}'],
    ],
    [
      'an alias bomb',
      yaml(`proof_of_work: {}\na: &a [x]\n${'b: [*a, *a]\n'.repeat(1)}`),
      ['block-unreadable 7:7 [x]'],
    ],
    ['a tag', yaml('proof_of_work: !!map {type: comment}'), ['block-unreadable 6:22 {type: comment}']],
    ['a merge key', yaml('proof_of_work: {type: comment, <<: {}}'), ['block-unreadable 6:32 <<']],
    ['a key twice', yaml('proof_of_work: {type: comment, type: shell}'), ['block-unreadable 6:32 type']],
    [
      'a key that is no text',
      yaml('proof_of_work: {type: mcp, mcp: {tool_name: a, arguments: {1: a}}}'),
      ['block-unreadable 6:60 1'],
    ],
    [
      'several documents',
      yaml('proof_of_work: {type: comment}\n---\nproof_of_work: {type: comment}'),
      ['block-unreadable 7:1 ---⏎proof_of_work: {type: comment}'],
    ],
    [
      'a directive',
      yaml('%YAML 1.1\n---\nproof_of_work: {type: comment}'),
      ['block-unreadable 6:1 %YAML 1.1'],
    ],
    ['nesting', yaml(`proof_of_work: ${'['.repeat(70)}${']'.repeat(70)}`), ['document-too-deep 6:80']],
    ['nesting of a thousand', yaml(`proof_of_work:\n  ${'- '.repeat(1000)}a`), ['document-too-deep 7:2003']],
    [
      'nesting by indentation',
      yaml(`proof_of_work:\n${Array.from({ length: 70 }, (_, at) => `${' '.repeat(at + 1)}a:`).join('\n')}`),
      ['document-too-deep 71:66'],
    ],
    [
      'wrong values',
      yaml('proof_of_work:\n  type: shell\n  shell:\n    cmd: 1\n    tmeout_seconds: 2'),
      ['block-invalid 9:10 1', 'block-unknown-key 10:5 tmeout_seconds'],
    ],
    [
      'a missing field',
      yaml('proof_of_work:\n  type: shell\n  shell:\n    timeout_seconds: 2'),
      ['block-invalid 9:5 timeout_seconds: 2'],
    ],
    [
      'not a number',
      yaml('proof_of_work: {type: mcp, mcp: {tool_name: a, expected_result: .nan}}'),
      ['block-invalid 6:65 .nan'],
    ],
    [
      'a number that a double cannot hold',
      yaml('proof_of_work: {type: mcp, mcp: {tool_name: a, expected_result: 1e-400}}'),
      ['block-invalid 6:65 1e-400'],
    ],
  ])('%s', async (_, source, problems) => {
    expect(await problemsIn(source)).toEqual(problems);
    expect((await stepOf(source)).block).toBeNull();
  });

  it('reads words of YAML 1.1 as text', async () => {
    const step = await stepOf(
      yaml(
        'proof_of_work: {type: mcp, mcp: {tool_name: a, arguments: {a: yes, b: on, c: 012, d: 2026-01-01, e: +.50, f: 5.e1}}}',
      ),
    );
    expect(step.block?.value.proof_of_work).toMatchObject({
      mcp: { arguments: { a: 'yes', b: 'on', c: 12, d: '2026-01-01', e: 0.5, f: 50 } },
    });
  });
});

describe('older spellings', () => {
  it.each<[string, string, string[], unknown]>([
    [
      'challenge',
      json('{"challenge": {"type": "comment"}}'),
      ['warning legacy-challenge-key 6:2 "challenge"'],
      { type: 'comment', comment: { min_length: 10 }, required: true },
    ],
    [
      'no type',
      json('{"proof_of_work": {"user_input": {"prompt": "p"}}}'),
      ['warning legacy-missing-type 6:19 {"user_input": {"prompt": "p"}}'],
      { type: 'user_input', user_input: { prompt: 'p' }, required: true },
    ],
    [
      'a flat command',
      json('{"proof_of_work": {"cmd": "a", "timeout_seconds": 5, "required": false}}'),
      ['warning legacy-flat-shell 6:20 "cmd"'],
      { type: 'shell', shell: { cmd: 'a', timeout_seconds: 5, expect_exit_code: 0 }, required: false },
    ],
    [
      'a flat command with its type, in YAML',
      json('challenge:\n  type: shell\n  cmd: a', 'yaml'),
      ['warning legacy-challenge-key 6:1 challenge', 'warning legacy-flat-shell 8:3 cmd'],
      { type: 'shell', shell: { cmd: 'a', timeout_seconds: 60, expect_exit_code: 0 }, required: true },
    ],
  ])('%s', async (_, source, problems, proof) => {
    expect(await problemsIn(source)).toEqual(problems);
    expect((await stepOf(source)).block?.value).toEqual({ proof_of_work: proof });
  });

  it('are reported in the node', async () => {
    expect((await stepOf(json('{"challenge": {"type": "comment"}}'))).block).toMatchObject({
      spelling: 'challenge',
      format: 'json',
      raw: { challenge: { type: 'comment' } },
    });
  });

  it.each<[string, string, string[]]>([
    [
      'two type objects',
      json('{"proof_of_work": {"shell": {"cmd": "a"}, "comment": {}}}'),
      ['block-invalid 6:19 {"shell": {"cmd": "a"}, "comment": {}}'],
    ],
    [
      'a flat command of the wrong kind',
      json('{"challenge": {"cmd": 1}}'),
      [
        'warning legacy-challenge-key 6:2 "challenge"',
        'warning legacy-flat-shell 6:16 "cmd"',
        'block-invalid 6:23 1',
      ],
    ],
    [
      'a flat command beside a type object',
      json('{"proof_of_work": {"type": "shell", "shell": {"cmd": "a"}, "cmd": "b"}}'),
      ['block-unknown-key 6:60 "cmd"'],
    ],
  ])('but not %s', async (_, source, problems) => expect(await problemsIn(source)).toEqual(problems));
});
