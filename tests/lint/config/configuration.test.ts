import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { configurationFinder, type FinderOptions } from '../../../src/lint/config/configuration.ts';
import { LINT_RULES } from '../../../src/lint/rules/index.ts';
import { makeFolder } from '../files/support.ts';

const removals: (() => void)[] = [];
afterEach(() => {
  for (const remove of removals.splice(0)) remove();
});

function folder(files: Record<string, string>): string {
  const { path, remove } = makeFolder(files);
  removals.push(remove);
  return path;
}

function finder(options: Partial<FinderOptions> = {}) {
  return configurationFinder({ rules: LINT_RULES, overrides: new Map(), ...options });
}

describe('configurationFinder', () => {
  it('finds the nearest configuration upwards of each folder', async () => {
    const root = folder({
      'kairos.config.yaml': 'lint:\n  rules:\n    no-h1: "off"\n  ignore: [drafts/]\n',
      'a/kairos.config.json': '{"lint": {"rules": {"no-h1": "info"}}}',
      'a/b/package.json': '{"name": "x", "kairos": {"lint": {"rules": {"no-h1": "warning"}}}}',
      'c/package.json': '{"name": "kairos"}',
    });
    const { forFolder } = finder();
    const level = async (path: string) => {
      const { file, severities } = await forFolder(join(root, path));
      return [file?.slice(root.length), severities.get('no-h1')];
    };
    expect(await level('.')).toEqual(['/kairos.config.yaml', 'off']);
    expect(await level('a/x/y')).toEqual(['/a/kairos.config.json', 'info']);
    expect(await level('a/b')).toEqual(['/a/b/package.json', 'warning']);
    expect(await level('c')).toEqual(['/kairos.config.yaml', 'off']);
    const { ignores } = await forFolder(join(root, 'c'));
    expect([ignores(join(root, 'c/drafts/x.md')), ignores(join(root, 'c/x.md'))]).toEqual([true, false]);
  });

  it('reads one file for all, or none', async () => {
    const root = folder({ 'kairos.config.json': '{', 'other.json': '{"lint": {"rules": {"no-h1": "off"}}}' });
    expect((await finder({ file: join(root, 'other.json') }).forFolder('/')).severities.get('no-h1')).toBe(
      'off',
    );
    expect((await finder({ file: null }).forFolder(root)).file).toBeNull();
  });

  it('lets the command line have the last word', async () => {
    const root = folder({ 'kairos.config.json': '{"lint": {"rules": {"no-h1": "off"}}}' });
    const { forFolder } = finder({ overrides: new Map([['no-h1', 'info']]) });
    expect((await forFolder(root)).severities.get('no-h1')).toBe('info');
  });

  it.each([
    ['kairos.config.json', '{', ['JSON']],
    ['kairos.config.json', '[]', ['the whole: this has to be a mapping, with lint in it']],
    ['kairos.config.yaml', 'nope', ['the whole: this has to be a mapping, with lint in it']],
    ['package.json', '{"kairos": "nope"}', ['kairos: this has to be a mapping, with lint in it']],
    [
      'package.json',
      '{"kairos": {"lint": 3}}',
      ['lint: this has to be a mapping, with rules or ignore in it'],
    ],
    [
      'kairos.config.json',
      '{"lint": {"rules": []}}',
      ['lint.rules: this has to be a mapping of rules to severities'],
    ],
    ['kairos.config.json', '{"lint": {"ignore": "x"}}', ['lint.ignore: this has to be a list of patterns']],
    [
      'kairos.config.json',
      '{"lint": {"ignore": [3]}}',
      ['lint.ignore.0: this has to be a text, a pattern as in .gitignore'],
    ],
    ['kairos.config.json', '{"lnit": {}}', ['lnit: unknown key; did you mean lint?']],
    ['kairos.config.json', '{"store": "x.db"}', ['store: a project cannot set this; it belongs to the user']],
    ['kairos.config.json', '{"lint": {"rule": {}}}', ['lint.rule: unknown key; did you mean rules?']],
    [
      'kairos.config.json',
      '{"lint": {"rules": {"no-h2": "off", "step-without-proof": "warn"}}}',
      [
        'lint.rules.step-without-proof: the severity is one of error, warning, info, off',
        'lint.rules.no-h2: unknown rule; did you mean no-h1?',
      ],
    ],
    ['kairos.config.yaml', 'lint:\n  rules: {no-h1: error, no-h1: info}\n', ['Map keys must be unique']],
    ['kairos.config.yaml', 'a: &a {}\nlint: *a\n', ['aliases are not read']],
    ['kairos.config.yaml', 'lint: !!js/function "x"\n', ['Unresolved tag']],
    [
      'kairos.config.yaml',
      'lint: [\n',
      ['line 2, column 1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['package.json', '{"kairos": {"lint": {"ignore": [1]}}}', ['lint.ignore.0: ']],
    ['package.json', '{"kairos": ', ['JSON']],
  ])('refuses in %s: %s', async (name, text, faults) => {
    const root = folder({ [name]: text });
    const error = await finder()
      .forFolder(root)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(join(root, name)),
    });
    for (const fault of faults) expect((error as Error).message).toContain(fault);
  });

  it('refuses two configurations in one folder', async () => {
    const root = folder({ 'kairos.config.json': '{}', 'kairos.config.yaml': '' });
    await expect(finder().forFolder(root)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `${root} has several configurations: kairos.config.yaml, kairos.config.json`,
    });
  });

  it('refuses a file that is named and not there', async () => {
    await expect(finder({ file: '/nowhere/kairos.config.json' }).forFolder('/')).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
  });
});
