import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

function put(name: string, text: string): string {
  const file = join(home.work, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

interface ImportAnswer {
  imported: {
    source: string;
    file: string | null;
    title: string;
    slug: string;
    carrier: string;
    steps: number;
    proofs: number;
    decisions: { line: number; what: string }[];
  }[];
  failures: { source: string; reason: string }[];
  notices: string[];
}

const importing = async (...args: string[]) =>
  firstObject<ImportAnswer>(await kairosJson(home, ['import', ...args]));
const written = (name: string) => readFileSync(join(home.work, 'out', `${name}.md`), 'utf8');

/** Small documents of the shapes that people have. */
const SHAPES: Record<string, { file: string; text: string; carrier: string; steps: number; has: string[] }> =
  {
    'a skill': {
      file: 'skills/fill-forms/SKILL.md',
      text: '---\nname: fill-forms\ndescription: Fill in forms of the archive\n---\n\n# Fill in forms\n\n## 1. Open it\n\nOpen the form.\n\n## 2. Fill it\n\nFill every field.\n',
      carrier: 'h2',
      steps: 2,
      has: ['slug: fill-forms', '- "Fill in forms of the archive"', 'Fill every field.'],
    },
    'an agent SOP': {
      file: 'tidy.sop.md',
      text: '# Tidy\n\n## Overview\n\nTidies a folder.\n\n## Parameters\n\n- **folder_path** (required): Folder to tidy\n- **depth** (optional, default: "2"): How deep\n\n## Steps\n\n### 1. Look at {folder_path}\n\nList what is there.\n\n**Constraints:**\n- You MUST list every file\n- You MUST NOT delete anything\n\n### 2. Agree\n\n**Constraints:**\n- You MUST ask the user for approval of the list\n',
      carrier: 'h3',
      steps: 2,
      has: [
        'FOLDER_PATH:',
        'description: Folder to tidy',
        'default: "2"',
        '"type": "comment"',
        '"prompt": "You MUST ask the user for approval of the list"',
        'MUST NOT delete',
      ],
    },
    'a Cursor rule': {
      file: '.cursor/rules/api.mdc',
      text: '---\ndescription: Rules for endpoints\nglobs: **/*.ts\nalwaysApply: false\n---\n\n# Add an endpoint\n\n1. Write the schema.\n2. Write the handler.\n3. Write the test.\n',
      carrier: 'list',
      steps: 3,
      has: ['globs: "**/*.ts"', '- "Rules for endpoints"', '## Write the handler'],
    },
    'a Claude command': {
      file: '.claude/commands/fix-issue.md',
      text: '---\ndescription: Fix an issue\nargument-hint: [number]\n---\n\nFix issue $ARGUMENTS.\n\n1. Read issue $ARGUMENTS\n2. Write a test\n3. Fix it\n',
      carrier: 'list',
      steps: 3,
      has: ['ARGUMENTS:', 'Fix issue {{ARGUMENTS}}.', '# fix issue'],
    },
    'a GitLab page': {
      file: 'restart.md',
      text: '---\ntitle: Restart the runner\n---\n\n[[_TOC_]]\n\n* [x] Drain it\n* [ ] Restart it\n* [~] Warm it up\n* [ ] Put it back\n\n/label ~ops\n',
      carrier: 'tasks',
      steps: 4,
      has: ['# Restart the runner', '## Restart it', '## Warm it up', '/label ~ops'],
    },
    'a Notion page': {
      file: 'Offboard a colleague 0123456789abcdef0123456789abcdef.md',
      text: '# Offboard a colleague\n\nOwner: Ana\n\n- [ ]  Close accounts\n- [ ]  Collect the laptop\n- [ ]  Say goodbye\n\n[More](More%200123456789abcdef0123456789abcdef.md)\n',
      carrier: 'tasks',
      steps: 3,
      has: ['Owner: Ana', '## Collect the laptop', '[More](More%200123'],
    },
    'an AsciiDoc runbook': {
      file: 'pump.adoc',
      text: '= Restart the pump\n\nWhy it matters.\n\n. Stop it.\n+\n[source,sh]\n----\nmake check\n----\n. Wait.\n. Start it.\n',
      carrier: 'list',
      steps: 3,
      has: ['# Restart the pump', 'Why it matters.', '```sh proof\nmake check'],
    },
    'a table': {
      file: 'table.md',
      text: '# Close the shop\n\n| Step | Action | Check |\n|---|---|---|\n| 1 | Count the till | Sum is right |\n| 2 | Lock the door | It is locked |\n',
      carrier: 'rows',
      steps: 2,
      has: ['## Count the till', '**Check**: Sum is right'],
    },
    'an alert runbook': {
      file: 'DiskFull.md',
      text: '# DiskFull\n\n## Meaning\n\nA disk is full.\n\n## Diagnosis\n\n```console\n$ df -h\n```\n\n## Mitigation\n\nFree some room.\n',
      carrier: 'h2',
      steps: 2,
      has: ['### Meaning', '$ df -h', '## Mitigation'],
    },
  };

describe('kairos import', () => {
  it.each(Object.entries(SHAPES))('imports %s', async (_name, { file, text, carrier, steps, has }) => {
    put(file, text);
    const { imported, failures } = await importing(file, '--out', 'out');
    expect(failures).toEqual([]);
    expect(imported).toMatchObject([{ carrier, steps }]);
    const result = written(imported[0]!.slug);
    for (const each of has) expect(result).toContain(each);
    const lint = await kairos(home, ['lint', 'out']);
    expect(lint.stdout).not.toMatch(/\berror\b/);
  });

  const EVERY = `# Handbook

Read it first.

## Stop

Before it.

### Pump

#### Close the valve

Turn it right.

#### Cut the power

Pull the plug.

### Fan

1. Switch it off
2. Wait a minute

- [ ] Write down the time
- [ ] Tell the shift

## Start

| Step | Action |
|---|---|
| 1 | Open the valve |
| 2 | Plug it in |
`;

  it.each([
    ['h2', ['Stop', 'Start']],
    ['h3', ['Stop: Pump', 'Stop: Fan']],
    ['h4', ['Stop: Pump: Close the valve', 'Stop: Pump: Cut the power', 'Stop: Fan']],
    ['list', ['Switch it off', 'Wait a minute']],
    ['tasks', ['Switch it off', 'Wait a minute', 'Write down the time', 'Tell the shift']],
    ['rows', ['Open the valve', 'Plug it in']],
  ])('makes a step of each %s with --steps, and keeps every sentence', async (carrier, labels) => {
    put('handbook.md', EVERY);
    const { imported, failures } = await importing('handbook.md', '--steps', carrier, '--out', 'out');
    expect({ failures, imported }).toMatchObject({ failures: [], imported: [{ carrier }] });
    const text = written(imported[0]!.slug);
    const found = [...text.matchAll(/^## (.*)$/gm)].map(([, label]) => label!);
    expect(found).toEqual(expect.arrayContaining(labels));
    for (const words of EVERY.match(/[A-Z][a-z ]{3,}[a-z]/g)!) expect(text, words).toContain(words);
    expect((await kairos(home, ['lint', 'out'])).stdout).not.toMatch(/\berror\b/);
  });

  it('imports a folder of every kind, and gives each a name', async () => {
    for (const { file, text } of Object.values(SHAPES)) put(file, text);
    put('second/tidy.sop.md', SHAPES['an agent SOP']!.text);
    const { imported, failures } = await importing('.', '--out', 'out');
    expect(failures).toEqual([]);
    expect(imported).toHaveLength(Object.keys(SHAPES).length + 1);
    expect(new Set(imported.map(({ file }) => file)).size).toBe(imported.length);
  });

  it('gives each protocol its own slug', async () => {
    for (const name of ['a', 'b', 'c']) put(`in/${name}.md`, `# Rotate it\n\n1. One\n2. Two ${name}\n`);
    const rolled = '# Ship\n\n## A\n\nx\n\n## B\n\ny\n\n## Rollback\n\nz\n';
    put('in/d.md', rolled);
    put('in/e.md', rolled);
    const { imported, failures } = await importing('in', '--out', 'out');
    expect(imported.map(({ slug, file }) => [slug, file])).toEqual([
      ['rotate-it', 'out/rotate-it.md'],
      ['rotate-it-2', 'out/rotate-it-2.md'],
      ['rotate-it-3', 'out/rotate-it-3.md'],
      ['ship', 'out/ship.md'],
    ]);
    expect(written('rotate-it-2')).toContain('slug: rotate-it-2\n');
    expect(imported[1]!.decisions[0]).toEqual({
      line: 1,
      what: 'slug rotate-it-2, because rotate-it is that of in/a.md',
    });
    expect(failures).toEqual([
      { source: 'in/e.md', reason: 'its slug ship is also that of in/d.md; give one of them another title' },
    ]);
  });

  it('writes each procedure of a document, one with --section, and examples of other tools', async () => {
    put('db.md', '# DB\n\n## Fail over\n\n1. a a\n2. b b\n\n## Restore\n\n1. c c\n2. d d\n');
    const { imported } = await importing('db.md', '--out', 'out');
    expect(imported.map(({ file, title, steps }) => [file, title, steps])).toEqual([
      ['out/db-fail-over.md', 'DB: Fail over', 2],
      ['out/db-restore.md', 'DB: Restore', 2],
    ]);
    expect((await importing('db.md', '--dry-run', '--section', 'Restore')).imported).toMatchObject([
      { title: 'Restore', steps: 2 },
    ]);
    expect((await importing('db.md', '--dry-run', '--steps', 'list')).imported).toMatchObject([
      { title: 'DB', steps: 4 },
    ]);
    expect(await kairos(home, ['mint', 'out'])).toMatchObject({ code: 0 });
    put(
      'hook.md',
      '# Hook\n\n## Send\n\n```json\n{"challenge":"abc"}\n```\n\n## Look\n\n1. x\n\n   ```yaml\n   outputs:\n     vpc: 1\n   ```\n',
    );
    const { imported: hooks, failures } = await importing('hook.md', '--out', 'out');
    expect({ hooks, failures }).toMatchObject({ hooks: [{ steps: 2, proofs: 0 }], failures: [] });
    put(
      'own.md',
      '# Own\n\n## Send\n\n```json\n{"challenge":{"type":"shel","shell":{"cmd":"x"}}}\n```\n\n## B\n\nx\n',
    );
    expect((await importing('own.md')).failures[0]!.reason).toMatch(/^it is a protocol already/);
  });

  it('imports a named file that is ignored', async () => {
    put('.gitignore', 'own.md\n');
    put('own.md', '# Own\n\n1. One\n2. Two\n');
    put('other.md', '# Other\n\n1. One\n2. Two\n');
    const sources = async (path: string) =>
      (await importing(path, '--dry-run')).imported.map(({ source }) => source);
    expect(await sources('.')).toEqual(['other.md']);
    expect(await sources('own.md')).toEqual(['own.md']);
    expect(await sources('./own.md')).toEqual(['./own.md']);
  });

  it('leaves the other files of a skill where they are', async () => {
    put('s/SKILL.md', '---\nname: s\ndescription: Does it\n---\n# S\n\n1. One\n2. Two\n');
    put('s/REFERENCE.md', '# Reference\n\nFacts.\n');
    put('s/references/more.md', '# More\n\n1. One\n2. Two\n');
    const all = await importing('s', '--out', 'out');
    expect(all.imported.map(({ source }) => source)).toEqual(['s/SKILL.md']);
    expect(all.failures).toEqual([]);
    expect(all.notices).toEqual(
      ['s/REFERENCE.md', 's/references/more.md'].map(
        (name) => `Skipped ${name}: it belongs to a skill. Name it to import it.`,
      ),
    );
    expect((await importing('s/references/more.md', '--out', 'out')).imported).toHaveLength(1);
  });

  it('leaves out links that lead out of the folder, and reports them; lint, fmt, mint and store import too', async () => {
    put('outside/secret.md', '# Secret\n\n1. One\n2. Two\n');
    put('outside/protocol.md', '# P\n\n## S\n\nText.\n\n```sh proof\ntrue\n```\n');
    put('in/a.md', '# A\n\n1. One\n2. Two\n');
    put('in/own.md', '# Own\n\n## S\n\nText.\n\n```sh proof\ntrue\n```\n');
    symlinkSync('../outside', join(home.work, 'in/folder'));
    symlinkSync('../outside/protocol.md', join(home.work, 'in/file.md'));
    const skipped = ['file.md', 'folder'].map(
      (name) => `Skipped in/${name}: it is a link that leads out of in.`,
    );
    const answer = firstObject<ImportAnswer>(await kairosJson(home, ['import', 'in', '--dry-run']));
    expect(answer.imported.map(({ source }) => source)).toEqual(['in/a.md']);
    expect(answer.notices).toEqual(skipped);
    for (const args of [
      ['import', 'in', '--dry-run'],
      ['lint', 'in', '--fix', '--unsafe-fixes'],
      ['fmt', 'in'],
      ['mint', 'in'],
      ['store', 'import', 'in'],
    ]) {
      const { stderr } = await kairos(home, args);
      for (const line of skipped) expect(stderr, args.join(' ')).toContain(line);
    }
    expect((await kairos(home, ['list'])).stdout).not.toMatch(/\bp\b/);
    expect((await kairos(home, ['import', 'in/*.md', '--dry-run'])).stderr).toContain(
      'Skipped in/file.md: it is a link that leads out of in/.',
    );
    expect(readFileSync(join(home.work, 'outside/protocol.md'), 'utf8')).toBe(
      '# P\n\n## S\n\nText.\n\n```sh proof\ntrue\n```\n',
    );
  });

  it('shows each decision with its line on --dry-run, and writes nothing', async () => {
    put('a.md', '# A\n\n## Look\n\n```sh\nls\n```\n\n## Go\n\n```sh\nrm -rf build\n```\n');
    const { code, stdout, stderr } = await kairos(home, ['import', 'a.md', '--dry-run', '--out', 'out']);
    expect(code).toBe(0);
    expect(stdout).toBe('would import  a.md  2 steps (h2), 1 proof\n');
    expect(stderr).toMatch(/a\.md:3 {2}steps: h2, because 2 headings/);
    expect(stderr).toMatch(/a\.md:3 {2}Look: its command is the proof/);
    expect(stderr).toMatch(/a\.md:9 {2}Go: command kept as text, because it is destructive/);
    expect(existsSync(join(home.work, 'out'))).toBe(false);
  });

  it('reads the folder of a skill as one document, and names what stays there', async () => {
    put(
      'skills/extract/SKILL.md',
      '---\nname: extract\ndescription: Extract tables\n---\n\n# Extract\n\n## 1. Read\n\nSee [forms](references/forms.md).\n\n## 2. Run\n\n```sh\npython3 scripts/extract.py\n```\n',
    );
    put('skills/extract/references/forms.md', '# Forms\n\nWhat forms there are.\n');
    put('skills/extract/scripts/extract.py', 'print(1)\n');
    const { imported, failures } = await importing('skills', '--out', 'out');
    expect(failures).toEqual([]);
    expect(imported.map(({ slug }) => slug)).toEqual(['extract']);
    expect(imported[0]!.decisions.at(-1)!.what).toMatch(
      /^references\/forms\.md, scripts\/extract\.py: not copied; the paths are relative to .*skills\/extract$/,
    );
  });

  it('writes protocols that kairos reads as protocols, and never over the source', async () => {
    put('close.md', '# Close\n\n1. Count\n2. Lock\n');
    const { imported } = await importing('close.md', '--force');
    expect(imported.map(({ file }) => file)).toEqual(['close-2.md']);
    expect(readFileSync(join(home.work, 'close.md'), 'utf8')).toBe('# Close\n\n1. Count\n2. Lock\n');
    expect((await kairos(home, ['lint', 'close-2.md'])).stdout).toContain('chain-without-proof');
    const { failures } = await importing('close-2.md', '--force');
    expect(failures[0]!.reason).toMatch(/^it is a protocol already/);
  });

  it('keeps conditional text of AsciiDoc, and names what has no markdown', async () => {
    put(
      'ship.adoc',
      '= Ship it\nKim Example <kim@example.org>\n\n== Pack\n\nPack it.\n\ninclude::snippet.adoc[]\n\nifdef::env-web[]\nOnly on the website.\nendif::[]\n\n== Send\n\nSend it.\n',
    );
    const { imported } = await importing('ship.adoc', '--out', 'out');
    expect(written('ship-it')).toContain('Only on the website.');
    expect(imported[0]!.decisions).toEqual(
      expect.arrayContaining([
        {
          line: 2,
          what: 'left out, in whole or in part, because markdown has nothing for it: Kim Example <kim@example.org>',
        },
        {
          line: 8,
          what: 'left out, in whole or in part, because markdown has nothing for it: include::snippet.adoc[]',
        },
        { line: 4, what: 'steps: h2, because 2 headings of depth 2 are steps' },
      ]),
    );
  });

  it('reports a document that is nested too deeply, and imports the others', async () => {
    put('deep.md', `# Deep\n\n${'> '.repeat(80)}x\n`);
    put('good.md', '# Good\n\n1. Count\n2. Lock\n');
    const { imported, failures } = await importing('.', '--out', 'out');
    expect(imported.map(({ slug }) => slug)).toEqual(['good']);
    expect(failures).toEqual([
      { source: 'deep.md', reason: 'line 3: lists and quotes are nested too deeply; flatten them' },
    ]);
    expect(await kairos(home, ['import', 'good.md', '--out', 'deep.md'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("deep.md isn't a folder"),
    });
  });

  it('rejects a document without a procedure, and one that is a protocol already', async () => {
    put('policy.md', '# Values\n\nWe care about people.\n');
    put('protocol.md', '# P\n\n## S\n\nText.\n\n```sh proof\ntrue\n```\n');
    const { code, stdout } = await kairos(home, ['import', '.', '--json', '--out', 'out']);
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as ImportAnswer).failures).toEqual([
      { source: 'policy.md', reason: expect.stringContaining('no procedure found') },
      { source: 'protocol.md', reason: expect.stringContaining('it is a protocol already') },
    ]);
  });

  it('rejects a protocol with every option, also in AsciiDoc', async () => {
    put('protocol.md', '# P\n\n## 1. S\n\n```sh proof timeout=10m\ntrue\n```\n\n## 2. T\n\nx\n');
    put('protocol.adoc', '= P\n\n== 1. S\n\n[source,sh proof]\n----\nrm -r /x\n----\n\n== 2. T\n\nx\n');
    for (const given of [[], ['--steps', 'h2'], ['--section', '1. S', '--steps', 'list']]) {
      const { imported, failures } = await importing('protocol.md', '--out', 'out', ...given);
      expect(imported).toEqual([]);
      expect(failures[0]!.reason).toMatch(/^it is a protocol already; store it with .* mint /);
    }
    const { failures } = await importing('protocol.adoc', '--out', 'out');
    expect(failures[0]!.reason).toMatch(/^it is a protocol already/);
  });

  it('keeps frontmatter of other tools where kairos reads other values', async () => {
    put('a.md', '---\nversion: 2\ntags: ops, night\ninputs: [host]\n---\n# A\n\n1. One\n2. Two\n3. Three\n');
    const { imported } = await importing('a.md', '--out', 'out');
    expect(imported).toHaveLength(1);
    expect(written('a')).toContain('source-version: 2');
    expect(written('a')).toContain('tags:\n  - ops\n  - night');
    expect(written('a')).toContain('source-inputs:');
  });
});

describe('kairos export', () => {
  const PROTOCOL =
    '---\nslug: see-it\n---\n# See it\n\nLooks.\n\n## Look\n\nLook at it.\n\n```sh proof timeout=1m\ntrue\n```\n';

  it.each([
    ['--skill', ['see-it/SKILL.md', 'see-it/references/protocol.md']],
    ['--sop', ['see-it.sop.md', 'protocols/see-it.md']],
  ])('writes %s of a stored protocol, and imports the same again', async (flag, files) => {
    put('p.md', PROTOCOL);
    await kairos(home, ['mint', 'p.md'], { prepares: true });
    const { exported } = firstObject<{ exported: { slug: string; digest: string; files: string[] }[] }>(
      await kairosJson(home, ['export', flag, 'see-it', '--out', 'x']),
    );
    expect(exported).toMatchObject([{ slug: 'see-it', files: files.map((file) => join('x', file)) }]);
    expect((await importing('x', '--out', 'out')).imported).toMatchObject([
      { slug: 'see-it', carrier: 'protocol' },
    ]);
    const again = firstObject<{ chains: { digest: string }[] }>(
      await kairosJson(home, ['show', './out/see-it.md']),
    );
    expect(again.chains[0]!.digest).toBe(exported[0]!.digest);
  });

  it.each([
    ['--skill', 'see-it/SKILL.md', 'see-it/references/protocol.md', 28],
    ['--sop', 'see-it.sop.md', 'protocols/see-it.md', 25],
  ])(
    'rejects an export (%s) whose text and protocol differ, and names the lines',
    async (flag, text, protocol, line) => {
      const file = put('p.md', PROTOCOL);
      const both = [text, protocol].map((name) => join(home.work, name));
      const [exported, original] = both as [string, string];
      const rewrite = (path: string, from: string | RegExp, to: string) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
      const again = async () => kairos(home, ['export', flag, file, '--force']);
      const refusal = async () => {
        const { imported, failures } = await importing(text, '--out', 'out');
        expect(imported).toEqual([]);
        return failures[0]!.reason;
      };
      await again();
      for (const path of both) rewrite(path, /\n/g, '\r\n');
      expect((await importing(text, '--out', 'out')).failures).toEqual([]);

      await again();
      rewrite(original, '\ntrue\n', '\nfalse\n');
      const changed = await refusal();
      expect(changed).toMatch(
        new RegExp(
          `only in the text, line ${line}: .*\`true\`\\n.*only in the export of the protocol, line ${line}: .*\`false\``,
        ),
      );
      expect(changed.includes('the export was made of')).toBe(flag === '--skill');
      expect(changed).toContain(`mint ${original}`);

      await again();
      rewrite(exported, 'Look at it.', 'Look at it.\n\nThen wait.');
      expect(await refusal()).toContain('\n  only in the text, line');

      await again();
      rewrite(original, '# See it', '# See it\n\n## A\n\n# Other');
      expect(await refusal()).toContain('has several chains');

      await again();
      rewrite(exported, /(kairos-protocol: "?)[^\s"]+/, '$1../../other');
      expect(await refusal()).toMatch(/, is (?:missing|outside of the folder of the export)$/);

      await again();
      rmSync(original);
      expect(await refusal()).toMatch(/, is missing$/);
      symlinkSync(put('../p.md', PROTOCOL), original);
      expect(await refusal()).toMatch(/, is outside of the folder of the export$/);
    },
  );

  it('replaces files with --force only, and needs one form', async () => {
    put('p.md', PROTOCOL);
    expect((await kairos(home, ['export', './p.md'])).stderr).toContain('--skill or --sop');
    expect((await kairos(home, ['export', '--skill', '--sop', './p.md'])).code).toBe(2);
    expect((await kairos(home, ['export', '--skill', './p.md'])).code).toBe(0);
    expect((await kairos(home, ['export', '--skill', './p.md'])).code).not.toBe(0);
    expect((await kairos(home, ['export', '--skill', './p.md', '--force'])).code).toBe(0);
  });
});
