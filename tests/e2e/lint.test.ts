import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, type CliOptions, kairos, makeHome } from '../support/cli.ts';

/** A protocol in which nothing is found: only rules that these tests name are on. */
const CLEAN =
  '# Restart the service\n\n## Do it\n\nNow.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n';
const BIDI = CLEAN.replace('Now.', 'N\u202eow.');
const PROSE = '# Notes\n\nNothing to do.\n';
const ONLY = '{"lint": {"rules": RULES}}';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

function files(texts: Record<string, string | Uint8Array>): void {
  for (const [name, text] of Object.entries(texts)) {
    const path = join(home.work, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(path, text);
  }
}

const read = (name: string) => readFileSync(join(home.work, name), 'utf8');
const lint = (args: string[], options?: CliOptions) => kairos(home, ['lint', ...args], options);

/** Only these rules, so that new ones do not change what is expected here. */
async function onlyRules(levels: Record<string, string>): Promise<void> {
  const { LINT_RULES } = await import('../../src/lint/rules/index.ts');
  const rules = Object.fromEntries(LINT_RULES.map(({ id }) => [id, levels[id] ?? 'off']));
  files({ 'kairos.config.json': ONLY.replace('RULES', JSON.stringify(rules)) });
}

describe('the exit code of kairos lint', () => {
  beforeEach(() =>
    onlyRules({ 'hidden-character': 'error', 'step-without-proof': 'warning', 'no-h1': 'info' }),
  );

  it.each<
    [string, Record<string, string | Uint8Array>, string[], number, { stdout?: string; stderr?: string }]
  >([
    ['a clean protocol', { 'a.md': CLEAN }, ['a.md'], 0, { stdout: '', stderr: '1 protocol checked.' }],
    ['an error', { 'a.md': BIDI }, ['a.md'], 1, { stdout: '5:2' }],
    ['an error, none to fail on', { 'a.md': BIDI }, ['a.md', '--fail-on', 'never'], 0, { stdout: '5:2' }],
    ['an error, and zero whatever is found', { 'a.md': BIDI }, ['--exit-zero'], 0, { stdout: '5:2' }],
    ['an info', { 'a.md': '## S\n' }, ['a.md'], 0, { stdout: 'no-h1' }],
    ['an info to fail on', { 'a.md': '## S\n' }, ['a.md', '--fail-on', 'info'], 1, {}],
    [
      'a warning too many',
      { 'a.md': BIDI },
      ['--rule', 'hidden-character=warning', '--max-warnings', '0'],
      1,
      {},
    ],
    [
      'no warning too many',
      { 'a.md': BIDI },
      ['--rule', 'hidden-character=warning', '--max-warnings', '1'],
      0,
      {},
    ],
    ['a rule turned off', { 'a.md': BIDI }, ['--rule', 'hidden-character=off'], 0, { stdout: '' }],
    ['no argument at all', { 'docs/a.md': BIDI }, [], 1, { stdout: 'docs/a.md' }],
    ['a file that does not exist', {}, ['a.md'], 2, { stderr: 'a.md matches no markdown file' }],
    ['a folder that does not exist', {}, ['docs/'], 2, { stderr: 'the folder docs/ does not exist' }],
    [
      'a pattern that matches nothing',
      { 'a.md': CLEAN },
      ['a.md', 'x/**/*.md'],
      2,
      { stderr: 'matches no markdown file' },
    ],
    ['an empty folder', { 'docs/': '' }, ['docs'], 2, { stderr: 'docs contains no markdown file' }],
    ['an empty folder without naming it', {}, [], 2, { stderr: '. contains no markdown file' }],
    ['only prose', { 'a.md': PROSE }, ['.'], 0, { stderr: 'No protocol checked, 1 file of prose skipped.' }],
    ['prose that is named', { 'a.md': PROSE.replace('# ', '## ') }, ['a.md'], 0, { stdout: 'no-h1' }],
    [
      'an ignored file that is named',
      { 'a.md': BIDI, '.kairosignore': 'a.md\n' },
      ['a.md'],
      0,
      { stdout: '', stderr: '1 ignored' },
    ],
    [
      'a folder in which all is ignored',
      { 'd/a.md': BIDI, '.gitignore': 'd\n' },
      ['d'],
      2,
      { stderr: 'is ignored' },
    ],
    [
      'a folder that the configuration leaves out whole',
      { 'd/a.md': BIDI, 'kairos.config.json': '{"lint":{"ignore":["d/"]}}' },
      ['d'],
      2,
      { stderr: 'every markdown file there (1) is ignored' },
    ],
    [
      'a named file that the configuration leaves out',
      { 'd/a.md': BIDI, 'kairos.config.json': '{"lint":{"ignore":["d/"]}}' },
      ['d/a.md'],
      0,
      { stdout: '', stderr: '1 ignored' },
    ],
    [
      'a protocol with broken frontmatter, met by walking',
      { 'a.md': '---\nslug: [\n---\n# T\n\n## A\n\nx\n\n## Completion Rule\n\nx\n' },
      ['.', '--rule', 'frontmatter-unreadable=error'],
      1,
      { stdout: 'frontmatter-unreadable' },
    ],
    [
      'a protocol with unterminated frontmatter, met by walking',
      { 'a.md': '---\nslug: x\n\n# T\n\n## A\n\nx\n\n## Completion Rule\n\nx\n' },
      ['.', '--rule', 'frontmatter-unterminated=error'],
      1,
      { stdout: 'frontmatter-unterminated' },
    ],
    [
      'prose with broken frontmatter, met by walking',
      { 'a.md': '---\nslug: [\n---\n# T\n\nx\n', 'b.md': CLEAN },
      ['.', '--rule', 'frontmatter-unreadable=error'],
      0,
      { stdout: '' },
    ],
    [
      'a file that is no UTF-8',
      { 'a.md': new Uint8Array([35, 32, 255]), 'b.md': BIDI },
      ['a.md', 'b.md'],
      2,
      { stdout: 'b.md' },
    ],
    [
      'prose that is no UTF-8, or too large to be a protocol, met by walking',
      { 'a.md': new Uint8Array([35, 32, 255]), 'b.md': `# T\n\n${'x '.repeat(600_000)}`, 'c.md': CLEAN },
      ['.'],
      0,
      { stdout: '', stderr: '1 protocol checked, 2 files of prose skipped.' },
    ],
    [
      'a protocol that is too large, met by walking',
      { 'a.md': `${CLEAN}${'x '.repeat(600_000)}` },
      ['.', '--rule', 'document-too-large=error'],
      1,
      { stdout: 'document-too-large' },
    ],
    [
      'a key twice in the configuration',
      { 'a.md': CLEAN, 'kairos.config.json': '{"lint": {},\n"lint": {"rules": {}}}' },
      ['a.md'],
      2,
      { stderr: 'line 2: "lint" occurs twice in its object' },
    ],
    ['an unknown flag', { 'a.md': CLEAN }, ['a.md', '--fxi'], 2, { stderr: '--fix' }],
    ['an unknown format', { 'a.md': CLEAN }, ['--format', 'styl'], 2, { stderr: 'Did you mean stylish?' }],
    ['an unknown fail level', { 'a.md': CLEAN }, ['--fail-on', 'warn'], 2, { stderr: 'warn' }],
    ['an unknown rule', { 'a.md': CLEAN }, ['--rule', 'no-h2=off'], 2, { stderr: 'Did you mean no-h1?' }],
    [
      'an unknown severity',
      { 'a.md': CLEAN },
      ['--rule', 'no-h1=warn'],
      2,
      { stderr: 'error, warning, info, off' },
    ],
    ['an unknown rule to explain', {}, ['--explain', 'no-h2'], 2, { stderr: 'Did you mean no-h1?' }],
    ['a limit that is no number', { 'a.md': CLEAN }, ['--max-warnings', 'x'], 2, {}],
    ['a configuration that is not there', { 'a.md': CLEAN }, ['--config', 'x.json'], 2, { stderr: 'x.json' }],
    [
      'a broken configuration',
      { 'd/a.md': CLEAN, 'd/kairos.config.json': '{' },
      ['d'],
      2,
      { stderr: 'cannot be used' },
    ],
    [
      'an unknown rule in a configuration',
      { 'd/a.md': CLEAN, 'd/kairos.config.yaml': 'lint: {rules: {no-h2: off}}' },
      ['d'],
      2,
      { stderr: 'did you mean no-h1?' },
    ],
    [
      'a broken configuration that is not read',
      { 'd/a.md': CLEAN, 'd/kairos.config.json': '{' },
      ['d', '--no-config'],
      0,
      {},
    ],
    [
      'a baseline that is not there',
      { 'a.md': CLEAN },
      ['--baseline', 'b.json'],
      2,
      { stderr: '--update-baseline' },
    ],
    [
      'a broken baseline',
      { 'a.md': CLEAN, 'b.json': '[]' },
      ['--baseline', 'b.json'],
      2,
      { stderr: 'cannot be used' },
    ],
    ['an update of no baseline', { 'a.md': CLEAN }, ['--update-baseline'], 2, { stderr: '--baseline' }],
    ['unsafe fixes without fixing', { 'a.md': CLEAN }, ['--unsafe-fixes'], 2, { stderr: '--fix or --diff' }],
    ['mending and not mending', { 'a.md': CLEAN }, ['--fix', '--diff'], 2, { stderr: 'exclude each other' }],
    ['a name for no standard input', { 'a.md': CLEAN }, ['a.md', '--stdin-filename', 'b.md'], 2, {}],
    [
      'standard input among files',
      { 'a.md': CLEAN },
      ['-', 'a.md'],
      2,
      { stderr: 'cannot be combined with files' },
    ],
    [
      'two formats for one output',
      { 'a.md': CLEAN },
      ['--format', 'json', '--format', 'sarif'],
      2,
      { stderr: 'mix' },
    ],
    [
      'JSON and another format for one output',
      { 'a.md': CLEAN },
      ['--json', '--format', 'compact'],
      2,
      { stdout: '', stderr: '--json and --format compact exclude each other' },
    ],
    [
      'a configuration and none, the none last',
      { 'a.md': CLEAN, 'c.json': '{}' },
      ['--config', 'c.json', '--no-config'],
      2,
      { stderr: '--config and --no-config exclude each other' },
    ],
    [
      'a configuration and none, the none first',
      { 'a.md': CLEAN, 'c.json': '{}' },
      ['--no-config', 'a.md', '--config=c.json'],
      2,
      { stderr: '--config and --no-config exclude each other' },
    ],
    ['an empty path', { 'a.md': CLEAN }, [''], 2, { stderr: 'the path is empty' }],
    ['an empty path among others', { 'a.md': CLEAN }, ['a.md', '', '--quiet'], 2, { stderr: 'is empty' }],
    [
      'an empty name of a file',
      { 'a.md': CLEAN },
      ['--baseline', ''],
      2,
      { stderr: 'of --baseline is empty' },
    ],
    [
      'a report in the place of a protocol',
      { 'a.md': BIDI },
      ['a.md', '--format', 'json:./a.md'],
      2,
      { stderr: '--format json:./a.md: the report would replace a.md' },
    ],
    [
      'a report in the place of a protocol that is ignored',
      { 'a.md': BIDI, '.kairosignore': 'a.md\n' },
      ['a.md', '--format', 'json:a.md'],
      2,
      { stderr: 'the report would replace a.md' },
    ],
    [
      'a report in the place of the baseline',
      { 'a.md': CLEAN, 'b.json': '{"version": 1, "documents": {}}' },
      ['--baseline', 'b.json', '--format', 'json:b.json'],
      2,
      { stderr: 'the report would replace b.json' },
    ],
    [
      'two reports in one file that is yet to be',
      { 'a.md': CLEAN },
      ['--format', 'json:out', '--format', 'sarif:./out'],
      2,
      { stderr: '--format sarif:./out: another report goes into that file' },
    ],
    [
      'a report that cannot be written',
      { 'a.md': CLEAN },
      ['--format', 'json:no/where.json'],
      2,
      { stderr: 'no/where.json' },
    ],
  ])('%s', async (_, texts, args, code, { stdout, stderr }) => {
    files(texts);
    const result = await lint(args);
    expect([result.code, result.signal]).toEqual([code, null]);
    if (stdout === '') expect(result.stdout).toBe('');
    else expect(result.stdout).toContain(stdout ?? '');
    expect(result.stderr).toContain(stderr ?? '');
  });

  it('a broken link, while the others are linted', async () => {
    files({ 'b.md': BIDI });
    symlinkSync('gone.md', join(home.work, 'a.md'));
    expect(await lint(['.'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('b.md'),
      stderr: expect.stringContaining('Skipped a.md: it is a broken link.'),
    });
  });

  it.skipIf(process.getuid?.() === 0)('a file that may not be read, the others being linted', async () => {
    files({ 'a.md': CLEAN, 'b.md': BIDI });
    await chmod(join(home.work, 'a.md'), 0);
    expect(await lint(['.'])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/b\.md[\s\S]*a\.md may not be read by you/),
    });
  });
});

describe('kairos lint', () => {
  it('reads standard input, under the name that it is given', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({
      'off/kairos.config.json': '{"lint": {"rules": {"hidden-character": "off"}}}',
      '.kairosignore': 'x.md\n',
    });
    expect(await lint(['-', '--format', 'compact'], { stdin: BIDI })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^<stdin>:5:2: error: /),
    });
    expect(
      await lint(['-', '--stdin-filename', 'a.md', '--format', 'compact'], { stdin: BIDI }),
    ).toMatchObject({ code: 1, stdout: expect.stringMatching(/^a\.md:5:2: error: /) });
    expect(await lint(['-', '--stdin-filename', 'off/a.md', '--quiet'], { stdin: BIDI })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(await lint(['-', '--stdin-filename', 'x.md'], { stdin: BIDI })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(await lint(['-'], { stdin: PROSE.replace('# ', '') })).toMatchObject({ code: 0 });
  });

  it('fixes standard input onto standard output, and reports the rest on standard error', async () => {
    await onlyRules({ 'hidden-character': 'error', 'no-h1': 'info' });
    const mended = await lint(['-', '--fix', '--unsafe-fixes'], {
      stdin: `\ufeff${BIDI.replaceAll('\n', '\r\n')}`,
    });
    expect(mended).toMatchObject({ code: 0, stdout: `\ufeff${CLEAN.replaceAll('\n', '\r\n')}` });
    const left = await lint(['-', '--fix', '--fail-on', 'info'], { stdin: '## S\n' });
    expect(left).toMatchObject({ code: 1, stdout: '## S\n', stderr: expect.stringContaining('no-h1') });
    files({ '.kairosignore': 'x.md\n' });
    const ignored = await lint(['-', '--fix', '--unsafe-fixes', '--stdin-filename', 'x.md'], { stdin: BIDI });
    expect(ignored).toMatchObject({ code: 0, stdout: BIDI });
  });

  it('fixes files in place, keeping permissions, links, BOM and line endings', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    const text = `\ufeff${BIDI.replaceAll('\n', '\r\n')}`;
    files({ 'real/a.md': text, 'b.md': CLEAN, 'prose.md': PROSE.replace('Nothing', 'N\u202eothing') });
    symlinkSync('real/a.md', join(home.work, 'link.md'));
    await chmod(join(home.work, 'real/a.md'), 0o640);
    const before = statSync(join(home.work, 'b.md'));
    expect(await lint(['link.md', 'b.md', '.', '--fix'])).toMatchObject({ code: 1 });
    expect(read('real/a.md')).toBe(text);
    expect(await lint(['link.md', 'b.md', '.', '--fix', '--unsafe-fixes'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '2 protocols checked, 1 file of prose skipped.\nFixed link.md.\n',
    });
    expect(read('real/a.md')).toBe(`\ufeff${CLEAN.replaceAll('\n', '\r\n')}`);
    expect(statSync(join(home.work, 'real/a.md')).mode & 0o777).toBe(0o640);
    expect(statSync(join(home.work, 'b.md')).mtimeMs).toBe(before.mtimeMs);
    expect(read('prose.md')).toContain('\u202e');
    expect(existsSync(join(home.work, 'link.md'))).toBe(true);
  });

  it.each([['lint', '--fix', '--unsafe-fixes'], ['fmt']])(
    'leaves a read-only file alone: %s',
    async (...args) => {
      await onlyRules({ 'hidden-character': 'error' });
      const text = BIDI.replace('# ', '---\nversion: 1.0.0\nslug: x\n---\n# ');
      files({ 'a.md': text });
      await chmod(join(home.work, 'a.md'), 0o444);
      const { code, stdout, stderr } = await kairos(home, [...args, 'a.md']);
      expect({ code, text: read('a.md') }).toEqual({ code: 2, text });
      expect(stdout + stderr).toContain('cannot be written');
    },
  );

  it.each(['--diff', '--fix-dry-run'])(
    'shows with %s what it would change, and changes nothing',
    async (flag) => {
      await onlyRules({ 'hidden-character': 'error' });
      files({ 'a.md': BIDI });
      const result = await lint([flag, '--unsafe-fixes']);
      expect(result).toEqual({
        code: 1,
        signal: null,
        stdout:
          '--- a/a.md\n+++ b/a.md\n@@ -2,7 +2,7 @@\n \n ## Do it\n \n-N\u202eow.\n+Now.\n \n ```json\n {"proof_of_work": {"type": "comment"}}\n',
        stderr: expect.stringContaining('hidden-character'),
      });
      expect(read('a.md')).toBe(BIDI);
    },
  );

  it('writes several formats in one call', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'a.md': BIDI });
    const result = await lint(
      ['--format', 'github', '--format', 'sarif:out.sarif', '--format', 'stylish:out.txt'],
      { env: { GITHUB_STEP_SUMMARY: join(home.work, 'summary.md'), FORCE_COLOR: '1' } },
    );
    expect(result).toMatchObject({ code: 1, stdout: expect.stringMatching(/^::error file=a\.md,line=5,/) });
    expect(JSON.parse(read('out.sarif')).runs[0].results).toHaveLength(1);
    expect(read('out.txt')).toMatch(/^a\.md\n {2}5:2 {2}error/);
    expect(read('summary.md')).toContain('1 error, 0 warnings, 0 info in 1 protocol');
  });

  it('replaces no protocol by a report, through any link', async () => {
    files({ 'docs/a.md': CLEAN });
    symlinkSync('docs/a.md', join(home.work, 'out.json'));
    symlinkSync('docs', join(home.work, 'there'));
    for (const file of ['out.json', 'there/a.md']) {
      const refused = { code: 2, stderr: expect.stringContaining('the report would replace docs/a.md') };
      expect(await lint(['docs', '--format', `json:${file}`])).toMatchObject(refused);
    }
    expect(read('docs/a.md')).toBe(CLEAN);
  });

  it("reports in one line that the step summary can't be written, and ends as before", async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'a.md': CLEAN, 'b.md': BIDI });
    const env = { GITHUB_STEP_SUMMARY: join(home.work, 'no/where.md') };
    const clean = await lint(['a.md', '--format', 'github'], { env });
    expect(clean).toMatchObject({ code: 0, stdout: '' });
    expect(clean.stderr).toMatch(
      /^Can't write the step summary \(GITHUB_STEP_SUMMARY\) \S+no\/where\.md: ENOENT.*\n1 protocol checked\.\n$/,
    );
    expect(await lint(['b.md', '--format', 'github'], { env })).toMatchObject({ code: 1 });
  });

  it('prints JSON with --json in addition to reports in files', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'a.md': BIDI });
    const { stdout, code } = await lint(['--json', '--format', 'sarif:out.sarif']);
    expect([code, JSON.parse(stdout).summary.errors]).toEqual([1, 1]);
    expect(JSON.parse(read('out.sarif')).runs[0].results).toHaveLength(1);
  });

  it('prints only one object with --json', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'a.md': BIDI, 'b.md': PROSE });
    const { stdout, stderr, code } = await lint(['--json']);
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      results: [{ path: 'a.md', messages: [{ ruleId: 'hidden-character', source: 'kairos', fatal: true }] }],
      summary: { documents: 1, prose: 1, errors: 1 },
    });
  });

  it('shows errors only with --quiet, and counts the rest all the same', async () => {
    await onlyRules({ 'hidden-character': 'warning' });
    files({ 'a.md': BIDI });
    expect(await lint(['--quiet', '--max-warnings', '0'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: '1 protocol checked.\n1 finding below error not shown.\n1 warning; at most 0 are allowed.\n',
    });
    expect(await lint(['--quiet', '--fail-on', 'warning'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('1 warning; with --fail-on warning none is allowed.'),
    });
    const { stdout } = await lint(['--quiet', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ messages: [] }], summary: { warnings: 1 } });
  });

  it('accepts the findings of the baseline, on any line', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'docs/a.md': BIDI, 'docs/b.md': CLEAN });
    expect(await lint(['--baseline', 'ci/baseline.json', '--update-baseline'])).toMatchObject({ code: 2 });
    files({ 'ci/': '' });
    expect(
      await lint(['--baseline', 'ci/baseline.json', '--update-baseline', '--format', 'json:out.json']),
    ).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '2 protocols checked.\nWrote 1 finding to ci/baseline.json.\n',
    });
    expect(JSON.parse(read('out.json'))).toMatchObject({
      results: [{ messages: [], suppressed: [{ by: 'baseline' }] }, { messages: [] }],
      summary: { errors: 0, suppressed: 1 },
    });
    const again = await lint(['--baseline', 'ci/baseline.json', '--update-baseline', '--json']);
    expect(JSON.parse(again.stdout).summary).toMatchObject({ errors: 0, suppressed: 1 });
    expect(Object.keys(JSON.parse(read('ci/baseline.json')).documents)).toEqual(['../docs/a.md']);
    const moved = BIDI.replace('## Do it', 'More.\n\n## Do it');
    files({ 'docs/a.md': moved });
    const run = (...args: string[]) => lint(['--baseline', 'ci/baseline.json', ...args]);
    expect(await run()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('1 finding accepted before'),
    });
    expect(await run('docs/b.md', '--update-baseline')).toMatchObject({ code: 0 });
    expect(await run()).toMatchObject({ code: 0 });
    files({ 'docs/a.md': `${moved}\n\u202eNew.\n` });
    expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining('1 finding (') });
    files({ 'docs/a.md': CLEAN });
    expect(await run()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 finding of the baseline no longer there'),
    });
  });

  describe('a finding that the baseline accepts, in a line that is fixed', () => {
    const OLD = `${CLEAN.replace('{"proof_of_work": {"type": "comment"}}', '{"challenge": {"comment": {"min_length": 5}}}')}`;
    const WITH = ['--baseline', 'b.json', '--fail-on', 'info'];
    beforeEach(async () => {
      await onlyRules({ 'legacy-challenge-key': 'warning', 'min-length-tiny': 'info' });
      files({ 'a.md': OLD });
      await lint([...WITH, '--update-baseline']);
    });

    it('stays accepted, by the fixing call and by later ones', async () => {
      expect(await lint([...WITH, '--fix'])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('1 finding of the baseline now matched by the fixed line.\n'),
      });
      expect(read('a.md')).toContain('{"proof_of_work": {"comment"');
      expect(await lint(WITH)).toMatchObject({ code: 0, stdout: '' });
      files({ 'b.md': read('a.md') });
      expect(await lint(WITH)).toMatchObject({ code: 1, stdout: expect.stringContaining('b.md') });
    });

    it('is accepted on standard input, and nothing is written there', async () => {
      const before = read('b.json');
      const args = ['-', '--stdin-filename', 'a.md', ...WITH, '--fix'];
      expect(await lint(args, { stdin: OLD })).toMatchObject({ code: 0 });
      expect(read('b.json')).toBe(before);
    });

    it('does not cover a new one', async () => {
      files({ 'a.md': OLD.replace('## Do it', '## Do that') });
      await lint([...WITH, '--update-baseline', '--rule', 'min-length-tiny=off']);
      expect(await lint([...WITH, '--fix'])).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('min-length-tiny'),
      });
    });
  });

  it('applies directives unless they are turned off', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'a.md': `<!-- kairos-disable-file hidden-character -- a test -->\n\n${BIDI}` });
    expect(await lint([])).toMatchObject({ code: 0 });
    expect(await lint(['--no-inline-config'])).toMatchObject({ code: 1 });
  });

  it('looks upwards from each file for its configuration, and shows it', async () => {
    files({
      'kairos.config.yaml': 'lint:\n  rules:\n    no-h1: warning\n  ignore: [old/]\n',
      'in/package.json': '{"kairos": {"lint": {"rules": {"no-h1": "off"}}}}',
      'in/a.md': CLEAN,
      'old/b.md': BIDI,
    });
    const config = async (...args: string[]) => JSON.parse((await lint(['--print-config', ...args])).stdout);
    expect(await config('c.md', '--rule', 'step-without-proof=off')).toMatchObject({
      configuration: join(home.work, 'kairos.config.yaml'),
      ignored: false,
      lint: {
        rules: { 'no-h1': 'warning', 'step-without-proof': 'off', 'hidden-character': 'error' },
        ignore: ['old/'],
      },
    });
    expect(await config('in/a.md')).toMatchObject({ lint: { rules: { 'no-h1': 'off' } } });
    expect(await config('old/b.md')).toMatchObject({ ignored: true });
    expect(await config('in/a.md', '--no-config')).toMatchObject({
      configuration: null,
      lint: { rules: { 'no-h1': 'error' } },
    });
    expect(await lint(['old/b.md'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('explains a rule', async () => {
    expect(await lint(['--explain', 'no-h1'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^no-h1 {2}document, error by default, must be fixed by hand\n/),
    });
    const { stdout } = await lint(['--explain', 'no-h1', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'no-h1', family: 'document' });
  });

  it('lets nothing through to the terminal that it would obey', async () => {
    await onlyRules({ 'hidden-character': 'error' });
    files({ 'a\u001b[31mb.md': BIDI });
    const { stdout } = await lint(['.']);
    expect(stdout).toContain('a\\x1b[31mb.md');
    expect(stdout).not.toContain('\u001b');
  });
});
