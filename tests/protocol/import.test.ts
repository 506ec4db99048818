import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lintSource } from '../../src/lint/lint-source.ts';
import { countProtocols, importDocument } from '../../src/protocol/import/convert.ts';
import type { ImportOptions } from '../../src/protocol/import/demands.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { commandFault } from '../../src/shell/command-fault.ts';
import { runs } from '../support/thorough.ts';

const imported = (source: string, options: Partial<ImportOptions> = {}) =>
  importDocument(source, { name: 'a-runbook', commandFault, ...options });
const labels = async (text: string) =>
  (await parseProtocol(text)).document.chains.flatMap(({ steps }) => steps.map(({ label }) => label));

const SECTIONS =
  '# Restart\n\nWhy.\n\n## Overview\n\nFacts.\n\n## Stop it\n\nStop.\n\n## Start it\n\nStart.\n';

describe('importDocument', () => {
  it.each([
    ['sections', SECTIONS, 'h2', ['Stop it', 'Start it']],
    [
      'numbered headings below a group',
      '# T\n\n## Steps\n\n### 1. Look\n\nx\n\n### 2. Write\n\ny\n',
      'h3',
      ['1. Look', '2. Write'],
    ],
    [
      'headings with a keycap, a circle or a picture around or before their number',
      '# T\n\n## 1️⃣ Order it\n\n- [ ] Ask\n\n## ② Install it\n\n1. Boot\n2. Choose\n3. Wait\n\n## 🚀 3. Ship it\n\nx\n\n## 🔟 End\n\ny\n',
      'h2',
      ['1️⃣ Order it', '② Install it', '🚀 3. Ship it', '🔟 End'],
    ],
    [
      'a method with its materials',
      '# Pasta\n\n## Ingredients\n\n- salt\n\n## Method\n\n1. Boil\n2. Drain\n',
      'list',
      ['Boil', 'Drain'],
    ],
    [
      'an ordered list',
      '# T\n\n1. Stop the pump. It hums.\n\n   More.\n2. Open\n3. Close\n',
      'list',
      ['Stop the pump', 'Open', 'Close'],
    ],
    ['a task list', '# T\n\n- [x] Fuel\n- [ ] Oil\n- [ ] Radio\n', 'tasks', ['Fuel', 'Oil', 'Radio']],
    [
      'a table',
      '# T\n\n| Step | Action |\n|---|---|\n| 1 | Stop |\n| 2 | Start |\n',
      'rows',
      ['Stop', 'Start'],
    ],
    [
      'numbered names in bold with text behind or below them',
      '# T\n\n**Step 1 - Build**\nBuild it.\n\n**Step 2:** Run the tests. All.\n\n**3. Ship it** Ship\nall.\n\n__Step 4__\n\nRest.\n\nStep 5: Leave.\n',
      'h2',
      ['Step 1 - Build', 'Step 2: Run the tests', '3. Ship it', 'Step 4', 'Step 5: Leave'],
    ],
    [
      'paragraphs that begin with the number of a step',
      '# T\n\nSchritt 1: Öffnen.\n\n- Deckel\n\nSchritt 2 – Leeren.\nSchritt 3: Schließen.\n',
      'h2',
      ['Schritt 1: Öffnen', 'Schritt 2: Leeren', 'Schritt 3: Schließen'],
    ],
    [
      'sections in a list, with numbers of two parts',
      '# T\n\n1. PURPOSE\n   To clean.\n\n2. Scope: All staff.\n\n3. ROLES\n   3.1 Ana.\n   3.2 Bo.\n\n4. PROCEDURE\n   4.1 Fill it.\n   4.2 Load it.\n\n5. RECORDS\n   Keep the log.\n',
      'list',
      ['4.1 Fill it', '4.2 Load it'],
    ],
    [
      'paragraphs with numbers of two parts',
      '# T\n\n3.5 GB are free.\n\n4.1 Fill it.\n\n4.2 Load it.\n\n4.3 Close it.\n',
      'list',
      ['4.1 Fill it', '4.2 Load it', '4.3 Close it'],
    ],
    [
      'rules next to announced steps',
      '# T\n\n## Workflow\n\n1. Open\n2. Close\n\n## Rules\n\n- NEVER run.\n',
      'list',
      ['Open', 'Close'],
    ],
    [
      'a table whose steps are numbers',
      '# T\n\n| Step | Owner | Description |\n|---|---|---|\n| 1 | Ana | Stop `a\\|b` |\n| 2 | Bo | Start |\n',
      'rows',
      ['Stop a|b', 'Start'],
    ],
    [
      'a table in another language',
      '# T\n\n| Schritt | Tätigkeit | Frist |\n|---|---|---|\n| 1 | Pumpe stoppen | Tag 1 |\n| 2 | Pumpe starten | Tag 2 |\n',
      'rows',
      ['Pumpe stoppen', 'Pumpe starten'],
    ],
    [
      'items that say their number',
      '# T\n\n- Step 1: Open it.\n- **Paso 2:** Cerrar\n- 第三步：停止\n- Step 4\n',
      'tasks',
      ['Open it', 'Cerrar', '停止', 'Step 4'],
    ],
    [
      'items of a name and text below it',
      '# T\n\n1. Unpack\n   The box is heavy.\n2. Install\n3. Wait for the\n   lamp\n',
      'list',
      ['Unpack', 'Install', 'Wait for the lamp'],
    ],
    [
      'what is needed before them, and the type of change after them',
      '# T\n\n## Benötigtes Material\n\n- Tuch\n\n## Ablauf\n\n1. Öffnen\n2. Leeren\n\n## Type of change\n\n- [ ] Fix\n',
      'list',
      ['Öffnen', 'Leeren'],
    ],
    [
      'a section that announces them, with trouble after it',
      '# T\n\n## Steps\n\n1. Open\n2. Close\n\n## Troubleshooting\n\n- Call.\n\n## FAQ\n\nq\n',
      'list',
      ['Open', 'Close'],
    ],
    [
      'a section that announces one numbered heading',
      '# T\n\n## Overview\n\nx\n\n## Steps\n\n### 1. Greet\n\ny\n\n## Examples\n\nz\n',
      'h3',
      ['1. Greet'],
    ],
    [
      'items with headings inside',
      '# T\n\n1. First\n\n   ## Sub\n\n   text\n\n2. Second\n\n   Under\n   -----\n\n   # Top\n\n   more\n',
      'list',
      ['First', 'Second'],
    ],
    ['two tasks', '# T\n\n- [x] Fuel\n- [ ] Oil\n', 'tasks', ['Fuel', 'Oil']],
    ['boxes', '# T\n\n☐ Fuel\n☑ Oil\n', 'tasks', ['Fuel', 'Oil']],
    [
      'items with markup',
      '# T\n\n1. Lock it<br>and sign\n2. Upload it[^n]\n3. **Monitor > Incidents**\n4. <b>ping</b> <host> of [the site][s]\n',
      'list',
      ['Lock it and sign', 'Upload it', 'Monitor > Incidents', 'ping HOST of the site'],
    ],
    [
      'numbered names in bold',
      '# T\n\n**1. Ask for the key**\n\nx\n\n**2. Install it**\n\ny\n',
      'h2',
      ['1. Ask for the key', '2. Install it'],
    ],
    [
      'phases with an H1 each',
      '# Phase 1: Plan\n\nx\n\n# Phase 2: Act\n\ny\n\n# Phase 3: Check\n\nz\n',
      'h2',
      ['Phase 1: Plan', 'Phase 2: Act', 'Phase 3: Check'],
    ],
    [
      "an alert's runbook",
      '# DiskFull\n\n## Meaning\n\nFull.\n\n## Diagnosis\n\nLook at the disk:\n\n```sh\ndf\n```\n\nLook at the folders:\n\n```sh\ndu\n```\n\n## Mitigation\n\n### Grow\n\nx\n\n### Clean\n\ny\n',
      'h2',
      [
        'Diagnosis: Look at the disk',
        'Diagnosis: Look at the folders',
        'Mitigation: Grow',
        'Mitigation: Clean',
      ],
    ],
  ])('finds the steps of %s', async (_, source, carrier, expected) => {
    const { text, carrier: found } = await imported(source);
    expect(found).toBe(carrier);
    expect(await labels(text)).toEqual(expected);
    expect((await lintSource(text)).messages.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('keeps sections about the procedure as its description', async () => {
    const { text } = await imported(SECTIONS);
    expect(text).toContain('# Restart\n\nWhy.\n\n\n### Overview\n\nFacts.\n\n## Natural Language Triggers');
  });

  it.each([
    ['make check', true, 'its command is the proof'],
    ['ssh <host> uptime', false, 'it has a gap: <host>'],
    ['$ make check', false, 'it has prompts or comments'],
    ['make a\nmake b', false, 'it is more than one command'],
    ['cd /srv', false, 'it only changes the shell'],
    ['deploy YOUR_HOST', false, 'it has a gap: YOUR_HOST'],
    ['rm -rf build', false, 'it is destructive (rm -r)'],
    ['vim notes.txt', false, 'it needs a person (vim)'],
    ['tail -f log', false, 'it never ends (tail -f)'],
    ['deploy "$HOST"', false, 'it reads variables that are set elsewhere'],
    ['ls {folder}', false, 'it has a gap: {folder}'],
    ['ls [the folder]', false, 'it has a gap: [the folder]'],
    ['ls %FOLDER%', false, 'it has a gap: %FOLDER%'],
    ['deploy ...', false, 'it has a gap: ...'],
    ['npm publish', false, 'its effect stays (publish)'],
    ['apt-get install jq', false, 'it needs a person (apt-get without -y)'],
    ["awk '{print $1}' [a-z]*.csv", true, 'its command is the proof'],
  ])('of the command %j makes a proof: %s', async (command, isProof, reason) => {
    const { text, proofs, decisions } = await imported(
      `# T\n\n## A\n\nRun:\n\n\`\`\`sh\n${command}\n\`\`\`\n\n## B\n\nx\n`,
    );
    expect(proofs).toBe(isProof ? 1 : 0);
    expect(text.includes('```sh proof\n')).toBe(isProof);
    expect(decisions.map(({ what }) => what).join('\n')).toContain(reason);
  });

  it.each([
    ['Never run the following, it wipes the disk:', 'Never run'],
    ['On Windows (otherwise do NOT run this):', 'do NOT run'],
    ["You shouldn't use it.", "shouldn't use"],
    ['The log must show:', 'log must show:'],
    ['**Expected output:**', 'Expected output:**'],
    ['You should see something like this:', 'like this:'],
    ['Run it. It prints:', 'It prints:'],
    ['Only after approval from Ana:', 'Only after approval from Ana:'],
    ['Wait for sign-off, then:', 'sign-off, then:'],
    ['CAUTION: it takes long.', 'CAUTION:'],
    ['> [!WARNING]\n> It takes long.', '> [!WARNING]'],
    ['If the disk is full, run:', 'If the disk is full, run:'],
    ['Optional:', 'Optional:'],
    ['ACHTUNG: dauert lange.', 'ACHTUNG:'],
    ['Nur nach Freigabe durch Ana:', 'Nur nach Freigabe durch Ana:'],
    ['Den Befehl nicht ausführen:', 'nicht ausführen'],
    ['Uniquement en production :', 'Uniquement en production :'],
    ["N'exécutez pas ceci :", "N'exécutez"],
    ['Nunca en producción:', 'Nunca'],
    ['No ejecutar en producción:', 'No ejecutar'],
    ['Solo si falla:', 'Solo si falla:'],
  ])('keeps a command as text below %j', async (text, reason) => {
    const { proofs, decisions } = await imported(
      `# T\n\n## A\n\n${text}\n\n\`\`\`sh\ncheck all\n\`\`\`\n\n## B\n\nx\n`,
    );
    expect(proofs).toBe(0);
    expect(decisions.map(({ what }) => what)).toContain(
      `A: command kept as text, because it is not to be run unseen: ${reason}`,
    );
  });

  it.each([
    'Check that the log shows no errors:',
    'Verify the result.\n\nDo not continue before it passes:',
    'See what it does, and confirm:',
    'When the build is done, check it:',
    'Im Mai prüfen wir es:',
  ])('lets a command be the proof below %j', async (text) => {
    const { proofs } = await imported(`# T\n\n## A\n\n${text}\n\n\`\`\`sh\ncheck all\n\`\`\`\n\n## B\n\nx\n`);
    expect(proofs).toBe(1);
  });

  it.each([
    ['console', 0],
    ['sh {"interactive":"true","name":"x"}', 0],
    ['sh {"background":"true"}', 0],
    ['sh {"interactive":"false","name":"x"}', 1],
    ['sh title="run"', 1],
  ])('of a fence with the words %j makes proofs: %d', async (words, count) => {
    const { proofs } = await imported(`# T\n\n## A\n\n\`\`\`${words}\ncheck all\n\`\`\`\n\n## B\n\nx\n`);
    expect(proofs).toBe(count);
  });

  it('keeps a command for one case only as text', async () => {
    const { text, proofs } = await imported(
      '# T\n\n## A\n\n_Only if prod is set:_\n\nRun:\n\n```sh\nmake check\n```\n\n## B\n\nx\n',
    );
    expect(proofs).toBe(0);
    expect(text).toContain('```sh\nmake check\n```');
  });

  it.each([
    ['h3', SECTIONS],
    ['h4', SECTIONS],
    ['list', '# T\n\n## A\n\n- x\n\n## B\n\ny\n'],
    ['tasks', SECTIONS],
    ['rows', SECTIONS],
  ] as const)('rejects %s that the document does not have', async (steps, source) => {
    await expect(imported(source, { steps })).rejects.toThrow('no procedure found');
  });

  it('closes a code block without an end above the next heading', async () => {
    const { text, decisions } = await imported('# T\n\n## 1. A\n\n```bash\necho a\n\n## 2. B\n\ny\n');
    expect(text).toContain('```bash\necho a\n```\n\n## 2. B\n\ny\n');
    expect(decisions).toContainEqual({
      line: 5,
      what: 'the code block has no end, so it is closed above ## 2. B',
    });
    await expect(imported('# T\n\n```bash\n1. a\n2. b\n')).rejects.toThrow(
      'the code block of line 3 has no end',
    );
  });

  it('changes no text in comments and elements that looks like a heading', async () => {
    const html = '<!-- a\n## not a heading\n-->\n\n<pre>\n# one\n\ntwo\n===\n</pre>';
    const { text } = await imported(
      `# T\n\n${html}\n\n1. A\n\n   ${html.replaceAll('\n', '\n   ')}\n\n   ## Own\n\n   Two\n   ---\n2. B\n`,
    );
    expect(text.split(html)).toHaveLength(3);
    expect(text).toContain('### Own\n\n### Two\n');
    expect(await labels(text)).toEqual(['A', 'B']);
  });

  it.each([
    [
      '# T\n\n1. A\n2. B\n\nOther:\n\n1. C\n2. D\n',
      { line: 8, what: expect.stringContaining('numbers begin again') },
    ],
    [
      '# T\n\n## A\n\n| Step | Action |\n|---|---|\n| 1 | A |\n| 2 | B |\n\n## B\n\n| Step | Action |\n|---|---|\n| 1 | C |\n| 2 | D |\n',
      { line: 12, what: expect.stringContaining('second table of steps') },
    ],
  ])('reports what may be another procedure in %j', async (source, decision) => {
    expect((await imported(source)).decisions).toContainEqual(decision);
  });

  it('makes inputs of arguments, placeholders and parameters', async () => {
    const sop =
      '# T\n\n## Parameters\n\n- **repo_path** (required): Where it is\n\n## Look at {repo_path}\n\nLook at {repo_path} on {{HOST}}.\n\n## Fix\n\n$ARGUMENTS\n';
    const { text } = await imported(sop);
    const { document } = await parseProtocol(text);
    expect(Object.keys(document.frontmatter?.inputs ?? {}).sort()).toEqual([
      'ARGUMENTS',
      'HOST',
      'REPO_PATH',
    ]);
    expect(text).toContain('Look at {{REPO_PATH}} on {{HOST}}.');
  });

  it('makes inputs of gaps in the text, renames reserved ones, and leaves HTML alone', async () => {
    const { text } = await imported('# T\n\n1. Ask <HOST_NAME>.<BR>\n2. Look at <PATH>.\n3. End.\n');
    expect(text).toContain('Ask {{HOST_NAME}}.<BR>');
    expect(text).toContain('Look at {{PATH_VALUE}}.');
    const { document, messages } = await parseProtocol(text);
    expect(Object.keys(document.frontmatter?.inputs ?? {})).toEqual(['HOST_NAME', 'PATH_VALUE']);
    expect(messages).toEqual([]);
  });

  it('makes an input secret by its name, and gives the reason why others stay', async () => {
    const { text, decisions } = await imported(
      '# T\n\n## 1. A\n\nSend <API_TOKEN>.\n\n```sh\nls {folder}\nls %DIR%\n```\n\n## 2. B\n\nx\n',
    );
    expect((await parseProtocol(text)).document.frontmatter?.inputs).toEqual({
      API_TOKEN: { description: 'api token', secret: true },
    });
    expect(decisions.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        'input API_TOKEN, because the text leaves it open; it is secret by its name',
        '{folder} stays unchanged, because programs read such words too',
        '%DIR% stays unchanged, because programs read such words too',
      ]),
    );
  });

  it('keeps inputs that the frontmatter declares', async () => {
    const { text, decisions } = await imported(
      '---\ninputs:\n  HOST: { description: Host, secret: true, pattern: "[a-z]+" }\n---\n# T\n\n1. Look at <HOST> in <ROOM>\n2. Go\n',
    );
    const { document, messages } = await parseProtocol(text);
    expect(messages).toEqual([]);
    expect(document.frontmatter?.inputs).toEqual({
      HOST: { description: 'Host', secret: true, pattern: '[a-z]+' },
      ROOM: { description: 'room' },
    });
    expect(decisions.map(({ what }) => what).join()).not.toContain('source-inputs');
  });

  it('makes the rollback a chain, and begins with no task done', async () => {
    const { text, decisions } = await imported(
      '# Ship it\n\n## Prepare\n\n- [x] Tests\n\n## Send\n\nx\n\n## Rollback\n\nDelete it.\n',
    );
    const { document, messages } = await parseProtocol(text);
    expect(document.chains.map(({ title, steps }) => [title, steps.map(({ label }) => label)])).toEqual([
      ['Ship it', ['Prepare', 'Send']],
      ['Ship it: rollback', ['Rollback']],
    ]);
    expect(messages).toEqual([]);
    expect(text).toContain('- [ ] Tests');
    expect(decisions).toContainEqual({
      line: 11,
      what: 'the rollback becomes a second chain, so the document has no slug',
    });
  });

  it.each([
    [
      'a placeholder that is only in a command',
      '1. Go to {{HOST}}\n\n   ```sh\n   cp {{FILE}} <TARGET> x\n   ```\n\n2. Go',
      ['FILE', 'HOST', 'TARGET'],
      'cp {{FILE}} {{TARGET}} x',
    ],
    [
      'a name that commands use',
      '1. Put {{HOST}} into {{HOME}}\n2. Go',
      ['HOME_VALUE', 'HOST'],
      'Put {{HOST}} into {{HOME_VALUE}}',
    ],
    [
      'one in other code, when there are inputs',
      '1. Ask <PERSON>\n\n   ```yaml\n   host: {{HOST}}\n   ```\n\n2. Go',
      ['HOST', 'PERSON'],
      'host: {{HOST}}',
    ],
    [
      'titles and names of steps, which show the name of the input',
      '## 1. Stop {{SERVICE}}\n\nStop it.\n\n## 2. Look at <HOST>\n\nLook.',
      ['HOST', 'SERVICE'],
      '## 1. Stop SERVICE\n\nStop it.\n\n## 2. Look at HOST',
    ],
    [
      'names in small letters, with blanks, in brackets and of variables',
      '1. Ask <the host-name> for {{ cluster }}\n\n   ```sh\n   scp [CLUSTER_NAME] ${REGION} ${HOSTNAME} ${MINE}\n   MINE=1\n   ```\n\n2. Go',
      ['CLUSTER', 'CLUSTER_NAME', 'REGION', 'THE_HOST_NAME'],
      'scp {{CLUSTER_NAME}} {{REGION}} ${HOSTNAME} ${MINE}',
    ],
    ['a name of kairos', '1. Set {{KAIROS_X}}\n2. Go', ['THE_KAIROS_X'], 'Set {{THE_KAIROS_X}}'],
    [
      'markup, links and other templates',
      '1. Write <name>Jo</name> and [SOME_LINK](x) [A_B]\n2. Use `${{ x.y }}`, {{ .Name }}, {{ end }}\n\n[A_B]: y',
      [],
      '<name>Jo</name> and [SOME_LINK](x) [A_B]',
    ],
    [
      'positional arguments of a command of Claude',
      '1. Fix $1 in $ARGUMENTS[2], ${ARGUMENTS} for $1.50\n2. Go',
      ['ARGUMENTS', 'ARGUMENT_1', 'ARGUMENT_2'],
      'Fix {{ARGUMENT_1}} in {{ARGUMENT_2}}, {{ARGUMENTS}} for $1.50',
    ],
    ['a price elsewhere', '1. Pay $1\n2. Go', [], 'Pay $1'],
    ['keys and type parameters', '1. Press <ENTER>\n2. Use List<STRING>', [], 'Press <ENTER>'],
  ])('makes inputs of %s', async (_, body, inputs, expected) => {
    const { text } = await imported(`# T\n\n${body}\n`);
    const { document, messages } = await parseProtocol(text);
    expect(messages).toEqual([]);
    expect(Object.keys(document.frontmatter?.inputs ?? {}).sort()).toEqual(inputs);
    expect(text).toContain(expected);
  });

  it.each([
    [
      'a paragraph of several rows',
      '1. Open an issue\n   in the tracker\n   - now\n2. b',
      'Open an issue in the tracker',
    ],
    ['dots before the end', '1. Go to "... More" in the bar\n2. b', 'Go to "... More" in the bar'],
    [
      'code, also in a link',
      '1. Remove [`*_all_*`](https://x.org) and `a_*.md`\n2. b',
      'Remove *_all_* and a_*.md',
    ],
    ['an automatic link', '1. Go to <https://x.org/a>, *now*\n2. b', 'Go to https://x.org/a, now'],
  ])('names a step after %s', async (_, list, label) => {
    const { text } = await imported(`# T\n\n${list}\n`);
    expect((await labels(text))[0]).toBe(label);
  });

  it('makes no steps of the sections about the work, and none is named after Execution Steps of a skill', async () => {
    const about = [
      'Role',
      'Core Mission',
      'Important Constraints',
      'Output Description',
      'Safety & Fallback',
      'Best Practices',
    ];
    const sections = about.map((title) => `## ${title}\n\n1. one\n2. two\n3. three\n`).join('\n');
    const steps = '## Execution Steps\n\n### Step 1: Look\n\nx\n\n### Step 2: Write\n\ny\n';
    for (const source of [`${steps}\n${sections}`, `${sections}\n${steps}`]) {
      const { text } = await imported(`# T\n\n${source}`);
      expect(await labels(text)).toEqual(['Step 1: Look', 'Step 2: Write']);
      for (const title of about) expect(text).toContain(`### ${title}`);
    }
    const { carrier } = await imported(`# T\n\n## Stop\n\nx\n\n## Start\n\ny\n\n${sections}`);
    expect(carrier).toBe('h2');
  });

  it('reads a code block that begins an item, and moves it out of the list with its rows', async () => {
    const code = '  * ```\n    # Look first.\n    git tag v1\n    ```\n';
    const { text } = await imported(`* [ ] Tag it\n${code}* [ ] Tell it\n`);
    expect(text).toContain('* ```\n  # Look first.\n  git tag v1\n  ```');
    expect((await parseProtocol(text)).messages).toEqual([]);
    const { text: own, proofs } = await imported(
      '# T\n\n## A\n\n- Do it:\n- ```sh\n  make test\n  ```\n- Look\n\n## B\n\nx\n',
    );
    expect(proofs).toBe(1);
    expect(own).toContain('- Do it:\n```sh proof\nmake test\n```\n- Look\n');
  });

  it('adds the items below a parameter to its description', async () => {
    const { text } = await imported(
      '# T\n\n## Parameters\n\n- **mode** (optional, default: "auto"): The mode:\n  - "auto": alone\n  - "ask": with you\n- **depth** (required): How deep\n\n## Steps\n\n### 1. A\n\nx\n\n### 2. B\n\ny\n',
    );
    expect((await parseProtocol(text)).document.frontmatter?.inputs).toEqual({
      MODE: { description: 'The mode: "auto": alone; "ask": with you', default: 'auto' },
      DEPTH: { description: 'How deep' },
    });
  });

  it.each([
    ['- **token** (required, secret): API token', { TOKEN: { description: 'API token', secret: true } }],
    [
      '- **target-env** (optional, default: `a`): Where',
      { TARGET_ENV: { description: 'Where', default: 'a' } },
    ],
    ['- **path** (required): Where', { PATH_VALUE: { description: 'Where' } }],
    [
      '- `depth` (number, optional, default: 3) - How deep',
      { DEPTH: { description: 'How deep', type: 'number', default: '3' } },
    ],
    ['- **root** (optional, default: current directory): Where', { ROOT: { description: 'Where' } }],
    [
      '- **mode** (required): Mode, one of `a` or `b`',
      { MODE: { description: 'Mode, one of `a` or `b`', choices: ['a', 'b'] } },
    ],
    ['- **text** (required): First.\n  Second.', { TEXT: { description: 'First. Second.' } }],
  ])('reads the parameter %j', async (row, inputs) => {
    const { text, decisions } = await imported(`# T\n\n## Parameters\n\n${row}\n\n## A\n\nx\n\n## B\n\ny\n`);
    expect((await parseProtocol(text)).document.frontmatter?.inputs).toEqual(inputs);
    expect(decisions.some(({ what }) => /has no default, because current directory/.test(what))).toBe(
      row.includes('current'),
    );
  });

  it('fills the names of parameters as the text writes them', async () => {
    const { text } = await imported(
      '# T\n\n## Parameters\n\n- **target-env** (required): Where\n- **path** (required): What\n\n## A\n\nTo {{target-env}}: {path}\n\n## B\n\ny\n',
    );
    expect(text).toContain('To {{TARGET_ENV}}: {{PATH_VALUE}}\n');
  });

  it('makes no input of an item of another list', async () => {
    const { text } = await imported(
      '# T\n\n## Prerequisites\n\n- **docker** (required): Docker\n\n## A\n\nx\n\n## B\n\ny\n',
    );
    expect(text).not.toContain('inputs:');
  });

  it('keeps the frontmatter unchanged', async () => {
    const own = 'globs: ["a", "b"]\nn: 010 # octal\nargument-hint: [number]\nnotes: |\n  one\n  two';
    const { text } = await imported(
      `---\n${own}\nversion: 2\ntags: a, b\nold: &x [1]\n---\n# T\n\n1. Stop\n2. Start\n`,
    );
    expect(text).toBe(
      `---\nslug: t\n${own}\nold:\n  - 1\nsource-version: 2\ntags:\n  - a\n  - b\n---\n\n# T\n\n## Natural Language Triggers\n\n- "T"\n\n## Stop\n\nStop\n\n## Start\n\nStart\n`,
    );
  });

  it('keeps comments and quoted keys of the frontmatter', async () => {
    const { text } = await imported(
      '---\n# of all\n"title": Quoted\n# of the slug\nslug: ops/x\n\na: 1\n\'b\': 2\n# of the version\nversion: 1\n# last\n---\n1. Stop\n2. Start\n',
    );
    expect(text.slice(0, text.indexOf('\n\n# '))).toBe(
      '---\n# of the slug\nslug: quoted\n# of all\ntitle: Quoted\n\na: 1\nb: 2\n# of the version\nsource-version: 1\n# last\n---',
    );
  });

  it('reads the TOML frontmatter of Hugo', async () => {
    const toml = [
      '# of the title',
      'title = "Drain a \\"host\\"" # beside it',
      'date = 2024-01-02T03:04:05+02:00',
      'description = """',
      'Take a host out.',
      '- Then wait."""',
      'id = 12345678901234567890',
      'tags = ["ops", # inside',
      '  "lb"]',
      '[params]',
      'owner = "me"',
      '# last',
    ];
    const { text, title, decisions } = await imported(
      `+++\r\n${toml.join('\r\n')}\r\n+++\r\n\r\nWords.\r\n\r\n1. Stop\r\n2. Start\r\n`,
    );
    expect(title).toBe('Drain a "host"');
    expect(text).toBe(
      `---\nslug: drain-a-host\n# of the title\n# beside it\ntitle: Drain a "host"\ndate: 2024-01-02T03:04:05+02:00\ndescription: |-\n  Take a host out.\n  - Then wait.\nid: "12345678901234567890"\nparams:\n  owner: me\n# last\n# inside\ntags:\n  - ops\n  - lb\n---\n\n# Drain a "host"\n\nWords.\n\n## Natural Language Triggers\n\n- "Take a host out. - Then wait."\n\n## Stop\n\nStop\n\n## Start\n\nStart\n`,
    );
    expect((await parseProtocol(text)).messages).toEqual([]);
    expect(decisions.map(({ line }) => line)).toEqual([1, 3, 5, 18]);
    await expect(imported('+++\na = 1\nb = x\n+++\n1. Stop\n2. Start\n')).rejects.toThrow(
      /^line 3: the TOML between the rows of \+\+\+ can't be read: /,
    );
  });

  it('gives every decision a reason', async () => {
    const { decisions } = await imported(
      '---\nslug: Not A Slug!\n---\n# T\n\n## Overview\n\nx\n\n## Check\n\n- [x] a\n\n## Check\n\n```sh {"name":"build"}\nmake\n```\n',
    );
    expect(decisions).toEqual([
      { line: 2, what: 'the slug "Not A Slug!" is left out, because it has another form' },
      { line: 6, what: 'Overview: part of the description, because it describes the procedure' },
      { line: 10, what: 'steps: h2, because 2 headings of depth 2 are steps' },
      { line: 10, what: 'done tasks are open again, because a run begins with none done' },
      { line: 14, what: 'Check: called Check (2), because that name exists or means something else' },
      { line: 14, what: 'Check (2): its command is the proof, because it is the only one and has no gap' },
      {
        line: 14,
        what: 'Check (2): the words "{\\"name\\":\\"build\\"}" of its fence are left out, because kairos has others there',
      },
    ]);
  });

  it.each([
    ['a decision', '## Status\n\na\n\n## Context\n\nb\n\n## Decision\n\nc\n\n## Consequences\n\nd'],
    ['a table of keys', '| Action | Shortcut |\n|---|---|\n| Save | S |\n| Quit | Q |'],
    ['a list of one item', '1. only'],
  ])('refuses %s with a reason', async (_, body) => {
    await expect(imported(`# T\n\n${body}\n`)).rejects.toThrow(/^no procedure found: it(s sections| has no)/);
  });

  it('leaves code alone, also with a shorter fence inside', async () => {
    const code = '````markdown\n```text\n- [x] Ask {{HOST}}\n```\n- [x] Ask <USER_NAME>\n````';
    const { text } = await imported(`# T\n\n## A\n\n${code}\n\n- [x] Look\n\n## B\n\nx\n`);
    expect(text).toContain(code);
    expect(text).toContain('- [ ] Look');
    expect((await parseProtocol(text)).document.frontmatter?.inputs).toEqual({});
  });

  const PARTS = '## Fail over\n\n1. a a\n2. b b\n\n## Restore\n\n1. c c\n2. d d\n';
  const alert = (name: string) =>
    `## ${name}\n\n### Meaning\n\nx\n\n### Diagnosis\n\ny\n\n### Mitigation\n\nz\n\n`;

  it.each([
    ['sections with numbered lists', `# DB\n\n${PARTS}`, ['DB: Fail over', 'DB: Restore']],
    [
      'alerts',
      `# Alerts\n\n${alert('HighLoad')}${alert('DiskFull')}`,
      ['Alerts: HighLoad', 'Alerts: DiskFull'],
    ],
    [
      'sections with numbered headings',
      '# Redis\n\n## Rotate the key\n\n### Step 1: A\n\nx\n\n### Step 2: B\n\ny\n\n## Add a node\n\n### Step 1: C\n\nx\n\n### Step 2: D\n\ny\n',
      ['Redis: Rotate the key', 'Redis: Add a node'],
    ],
    [
      'checklists by name',
      '# Staff\n\n## Onboarding checklist\n\n- [ ] a a\n- [ ] b b\n\n## Offboarding checklist\n\n- [ ] c c\n- [ ] d d\n',
      ['Staff: Onboarding checklist', 'Staff: Offboarding checklist'],
    ],
    [
      'an H1 each',
      '# Rotate the key\n\n1. a a\n2. b b\n\n# Restore the backup\n\n1. c c\n2. d d\n',
      ['Rotate the key', 'Restore the backup'],
    ],
    [
      'one procedure with phases',
      '# Ship\n\n## Prepare\n\n1. a a\n2. b b\n\n## Verify\n\n1. c c\n2. d d\n',
      ['Ship'],
    ],
    ['one procedure by its title', `# Release process\n\n${PARTS}`, ['Release process']],
    [
      'tasks before and after',
      '# Staff\n\n## Before the day\n\n- [ ] a a\n- [ ] b b\n\n## After it\n\n- [ ] c c\n- [ ] d d\n',
      ['Staff'],
    ],
    ['a rollback', '# DB\n\n## Upgrade it\n\n1. a a\n2. b b\n\n## Rollback\n\n1. c c\n2. d d\n', ['DB']],
    ['a section with text between them', `# DB\n\n${PARTS}\n## Then this\n\nx\n`, ['DB']],
  ])('makes protocols of %s', async (_, source, titles) => {
    const count = await countProtocols(source, { name: 'a', commandFault });
    expect(count).toBe(titles.length);
    const made = await Promise.all(
      titles.map((_title, procedure) => imported(source, count > 1 ? { procedure } : {})),
    );
    expect(made.map(({ title }) => title)).toEqual(titles);
    for (const { text } of made) expect((await parseProtocol(text)).messages).toEqual([]);
    // Options that say where the steps are make one of all.
    for (const given of [{ steps: 'list' }, { section: 'Restore' }] as const)
      expect(await countProtocols(source, { name: 'a', commandFault, ...given })).toBe(1);
  });

  it('keeps what the procedures have in common in each of them', async () => {
    const source = `---\nname: db\nslug: db\n---\n# DB\n\nAsk <owner>.\n\n${PARTS}\n## References\n\n- link\n`;
    const [first, second] = await Promise.all([0, 1].map((procedure) => imported(source, { procedure })));
    for (const { text } of [first!, second!])
      expect(text).toContain('Ask {{OWNER}}.\n\n### References\n\n- link\n');
    expect(await labels(first!.text)).toEqual(['a a', 'b b']);
    expect([first!.slug, second!.slug]).toEqual(['db-fail-over', 'db-restore']);
    expect(second!.decisions).toEqual(
      expect.arrayContaining([
        { line: 7, what: 'part of the description of each of the 2 procedures' },
        { line: 7, what: 'input OWNER, because the text leaves it open' },
        {
          line: 14,
          what: 'Restore: a separate protocol, because 2 sections have their own steps (a numbered list) and names of actions; --steps list makes one of all',
        },
      ]),
    );
  });

  it('keeps every sentence of names in bold, of sections in a list, and of what describes after a rollback', async () => {
    const { text } = await imported(
      '# T\n\n**Step 1:** Run it. All.\n\n**2. Ship it** Ship\nall.\n\n## Rollback\n\nUndo it.\n\n## Contacts\n\nAna: 4711\n',
    );
    expect(text).toMatch(
      /# T\n\n### Contacts\n\nAna: 4711\n[\s\S]*\nRun it\. All\.\n[\s\S]*\nShip\nall\.\n[\s\S]*\nUndo it\.\n$/,
    );
    const { text: sop, decisions } = await imported(
      '# T\n\n1. Purpose: To clean.\n2. Scope: All.\n3. Procedure\n   1. Fill it.\n   2. Load it.\n4. Records\n   Keep it.\n',
    );
    for (const sentence of ['To clean.', 'All.', 'Fill it.', 'Load it.', 'Keep it.'])
      expect(sop).toContain(sentence);
    expect(decisions).toContainEqual({ line: 3, what: '4 items are sections by their names' });
    const { text: part } = await imported(
      '# T\n\n**1. Get it** Now.\n\n- a\n- b\n- c\n\n**2. Go** Later.\n',
      { section: '1. Get it' },
    );
    expect(part).toContain('\nNow.\n');
  });

  it('makes a protocol of a checklist next to procedures, and none of a list of tasks below an action', async () => {
    const count = (last: string) =>
      countProtocols(`# Handbook\n\n${PARTS}\n## ${last}\n\n- [ ] A badge\n- [ ] A book\n`, {
        name: 'a',
        commandFault,
      });
    expect([await count('Onboarding checklist'), await count('Check the room')]).toEqual([3, 1]);
  });

  it('names sections that may be separate procedures', async () => {
    const { decisions } = await imported(`# Release process\n\n${PARTS}`);
    expect(decisions.map(({ what }) => what)).toContain(
      'several numbered lists (Fail over, Restore): import one with --section if they are separate procedures',
    );
  });

  it('gives a line for each section that becomes a step', async () => {
    const { decisions } = await imported(
      '# Ship it\n\n## Who\n\nAna.\n\n## Do\n\n1. Pack it\n2. Send it\n3. Tell them\n\n## Where\n\nHere.\n',
    );
    expect(decisions.filter(({ what }) => what.includes('a step'))).toEqual([
      { line: 3, what: 'Who: a step, because it is a section without a list of steps, before them' },
      { line: 13, what: 'Where: a step, because it is a section without a list of steps' },
    ]);
    const { decisions: own } = await imported(
      '# Ship it\n\n## First part\n\nWhy.\n\n## Steps\n\n### Pack it\n\nx\n\n### Send it\n\ny\n',
    );
    expect(own.filter(({ what }) => what.includes('a step'))).toEqual([
      { line: 3, what: 'First part: a step, because it is a section without headings of steps' },
    ]);
  });

  it('keeps what the author escaped as text, and gives inputs their lines', async () => {
    const { text, decisions } = await imported(
      '# Use it\n\n1. Write \\<tag> to <host>\n2. Go on\n   with <place> and \\${REGION}\n\n   ```sh\n   grep "\\<word>" {file}\n   ```\n',
    );
    const { document, messages } = await parseProtocol(text);
    expect(messages).toEqual([]);
    expect(Object.keys(document.frontmatter?.inputs ?? {})).toEqual(['HOST', 'PLACE']);
    expect(document.chains[0]!.steps[0]!.label).toBe('Write <tag> to HOST');
    expect(text).toContain('Write \\<tag> to {{HOST}}');
    expect(text).toContain('{{PLACE}} and \\${REGION}');
    expect(text).toContain('grep "\\<word>" {file}');
    expect(decisions.filter(({ what }) => /^input|stays/.test(what))).toEqual([
      { line: 3, what: 'input HOST, because the text leaves it open' },
      { line: 5, what: 'input PLACE, because the text leaves it open' },
      { line: 8, what: '{file} stays unchanged, because programs read such words too' },
    ]);
  });

  it('reads the name and description of a skill', async () => {
    const { slug, text, title } = await imported(
      '---\nname: pdf-forms\ndescription: Fill in forms\n---\n\n## One\n\nx\n\n## Two\n\ny\n',
    );
    expect({ slug, title }).toEqual({ slug: 'pdf-forms', title: 'pdf-forms' });
    expect(text).toContain('- "Fill in forms"');
  });

  it('imports one section', async () => {
    const source =
      '# Handbook\n\n## Values\n\nWe care.\n\n## Restart\n\n1. Stop\n2. Wait\n3. Start\n\n## More\n\nEnd.\n';
    const { text } = await imported(source, { section: 'restart' });
    expect(await labels(text)).toEqual(['Stop', 'Wait', 'Start']);
    expect(text).not.toContain('We care');
  });

  it('rejects a document without a procedure, and a section that is missing', async () => {
    await expect(imported('# Policy\n\nWe care.\n')).rejects.toMatchObject({ code: 'PROTOCOL_INVALID' });
    await expect(imported(SECTIONS, { section: 'no' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('keeps every word of generated documents', async () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/);
    const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    const block = fc.oneof(
      sentence,
      sentence.map((text) => `## ${text}`),
      sentence.map((text) => `### ${text}`),
      fc
        .array(sentence, { minLength: 1, maxLength: 4 })
        .map((items) => items.map((item, at) => `${at + 1}. ${item}`).join('\n')),
      fc
        .array(sentence, { minLength: 1, maxLength: 4 })
        .map((items) => items.map((item) => `- [ ] ${item}`).join('\n')),
      sentence.map((text) => `\`\`\`text\n${text}\n\`\`\``),
    );
    const words = (text: string): string[] => text.match(/\b[a-z]{3,9}\b/g) ?? [];
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 2, maxLength: 12 }), async (blocks) => {
        const source = `# Title\n\n${blocks.join('\n\n')}\n`;
        const result = await imported(source).catch((error: { code?: string }) => error.code);
        if (typeof result !== 'object') {
          expect(result).toBe('PROTOCOL_INVALID');
          return;
        }
        const left: string[] = words(result.text);
        for (const each of words(source)) {
          expect(left).toContain(each);
          left.splice(left.indexOf(each), 1);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    [
      'each step of a list',
      '## Delete\n\n> **Warning:** It deletes.\n>\n> Really.\n\n1. Look\n\n   ```sh\n   ls data\n   ```\n2. Wipe\n\n## Then\n\n1. Stop\n',
      { Look: true, Wipe: true, Stop: false },
    ],
    [
      'the list below it, not the step above it',
      '1. Stop\n2. Start\n\n⚠ As root, it deletes.\n\n3. Mount\n4. Check\n',
      { Stop: false, Start: false, Mount: true, Check: true },
    ],
    [
      'each heading of a group',
      '## Disk\n\nAchtung: It deletes.\n\n### 1. Look\n\nx\n\n### 2. Wipe\n\ny\n\n## Net\n\n### 3. Ping\n\nz\n',
      { 'Disk: 1. Look': true, 'Disk: 2. Wipe': true, 'Net: 3. Ping': false },
    ],
    [
      'an admonition with its paragraphs',
      '## A\n\n:::warning\n\nIt deletes.\n\n:::\n\n- [ ] Look\n- [ ] Wipe\n\n## B\n\n- [ ] Stop\n- [ ] Start\n',
      { Look: true, Wipe: true, Stop: false, Start: false },
    ],
  ] as const)('writes a warning to %s', async (_, source, wanted) => {
    const options = source.includes('[ ]') ? { steps: 'tasks' as const } : {};
    const { text, proofs, decisions } = await imported(`# T\n\n${source}`, options);
    const { steps } = (await parseProtocol(text)).document.chains[0]!;
    expect(Object.fromEntries(steps.map(({ label, body }) => [label, /delete/.test(body)]))).toEqual(wanted);
    expect(proofs).toBe(0);
    const line =
      `# T\n\n${source}`.split('\n').findIndex((row) => /Warning|⚠|Achtung|:::warning/.test(row)) + 1;
    expect(decisions).toContainEqual({ line, what: 'the warning is a part of each of the 2 steps below it' });
  });

  it('keeps commands text below a warning of the description', async () => {
    const { text, proofs } = await imported(
      '# T\n\n> Caution: it deletes.\n\n1. Look\n\n   ```sh\n   ls data\n   ```\n2. Stop\n',
    );
    expect([proofs, text.match(/deletes/g)]).toEqual([0, ['deletes']]);
  });

  it('closes a code block without an end, and reports its line', async () => {
    const { text, decisions, steps } = await imported(
      '# T\n\n## 1. Look\n\nx\n\n## 2. List\n\n~~~text\nls\n',
    );
    expect(steps).toBe(2);
    expect(text.endsWith('## 2. List\n\n~~~text\nls\n~~~\n')).toBe(true);
    expect(decisions.map(({ line, what }) => `${line} ${what.slice(0, 25)}`)).toContain(
      '9 the code block has no end',
    );
  });

  it.each([
    ['Keep <!-- why -->it &lt;b&gt; here. More', 'Keep it <b> here'],
    ['Set a &amp; b&nbsp;to &#36;X &quot;now&quot;', 'Set a & b to $X "now"'],
    [
      'Ring &#128276; twice, &#0; &#8238; &#55296; and&#10;wait',
      'Ring 🔔 twice, \ufffd \ufffd \ufffd and wait',
    ],
    ['Start <!-- never closed', 'Start'],
  ])('names a step after what is seen of %j', async (item, label) => {
    const { text } = await imported(`# T\n\n1. ${item}\n2. Stop\n`);
    expect((await labels(text))[0]).toBe(label);
  });

  it('makes inputs of words in brackets, and of no marks, links, notes and optional words', async () => {
    const { text } = await imported(
      '# T\n\n1. Open it on [DATE] at [HOST NAME] (by [PRÉNOM])\n2. [MANUAL] Set [x], [TODO], [1], [^1], [ERROR] and `cp [FILE]`\n3. Read [LINK](a.md), [REF] and [RFC2119]\n\n[REF]: https://example.org\n[^1]: Note.\n',
    );
    const { data } = (await parseProtocol(text)).document.frontmatter!;
    expect(Object.keys(data.inputs as object)).toEqual(['DATE', 'HOST_NAME', 'PRENOM']);
    expect(text).toContain('Open it on {{DATE}} at {{HOST_NAME}} (by {{PRENOM}})\n');
    expect(text).toContain('[MANUAL] Set [x], [TODO], [1], [^1], [ERROR] and `cp [FILE]`\n');
    expect(text).toContain('Read [LINK](a.md), [REF] and [RFC2119]\n');
  });

  it.each([
    [
      'numbered by a word of their own',
      '## All\n\n### Net\n\n#### Check 1\n\nx\n\n#### Check 2: DNS\n\ny\n',
      'h4',
      ['All: Net: Check 1', 'All: Net: Check 2: DNS'],
    ],
    [
      'below headings without text',
      '## Net\n\n### Ping\n\nx\n\n### Trace\n\ny\n\n## Disk\n\n### Look\n\nz\n',
      'h3',
      ['Net: Ping', 'Net: Trace', 'Disk: Look'],
    ],
    [
      'but no options',
      '## Look\n\n### Option 1\n\nx\n\n### Option 2\n\ny\n\n## Act\n\nz\n',
      'h2',
      ['Look', 'Act'],
    ],
  ] as const)('makes steps of the deepest headings, %s', async (_, source, carrier, wanted) => {
    const { text, carrier: chosen } = await imported(`# T\n\n${source}`);
    expect([chosen, await labels(text)]).toEqual([carrier, wanted]);
  });

  it('names all groups above a step, and keeps their text', async () => {
    const source = `# Move the database

## Leave the old site

Both sites answer now.

### Primary

It takes the writes.

#### Step 1: Stop the writes

a

### Replica

#### Step 2: Stop the copy

b

### Cache

## Enter the new site

### Primary

Wait for the owner.

## Rollback

### Primary

#### Step 3: Start the writes again

c
`;
    const { text } = await imported(source);
    expect(await labels(text)).toEqual([
      'Leave the old site: Primary: Step 1: Stop the writes',
      'Leave the old site: Replica: Step 2: Stop the copy',
      'Enter the new site: Primary',
      'Rollback: Primary: Step 3: Start the writes again',
    ]);
    const { chains } = (await parseProtocol(text)).document;
    expect(chains.map(({ steps }) => steps.map(({ body }) => body.trim().replace(/\n+/g, '|')))).toEqual([
      ['Both sites answer now.|It takes the writes.|a', 'b|### Cache', 'Wait for the owner.'],
      ['c'],
    ]);
  });

  it('reads headings in HTML', async () => {
    const { text, title } = await imported(
      '<h1 align="center">Bring a project\nback</h1>\n\nFor 30 days.\n\n<h2>Find it</h2>\n\na\n\n<h2>Move it</h2>\n\nb\n\n<h2><img src="x.png"></h2>\n\nc\n',
    );
    expect([title, await labels(text)]).toEqual(['Bring a project back', ['Find it', 'Move it']]);
    expect(text).not.toContain('<h1');
    expect(text).toContain('<h2><img src="x.png"></h2>');
  });

  it('keeps the sections of a phase in it', async () => {
    const { text } = await imported(
      '---\ntitle: Sell a plan\n---\n# Phase 1: Prepare\n\nx\n\n## Prices\n\n- [ ] Compare them\n\n# Phase 2: Switch on\n\ny\n',
    );
    expect(await labels(text)).toEqual(['Phase 1: Prepare', 'Phase 2: Switch on']);
    expect(text).toContain('### Prices\n\n- [ ] Compare them\n');
  });

  it.each([
    [
      'counts commands in lists inside of lists',
      '- List them:\n\n  ```sh\n  ls pods\n  ```\n\n  - One waits?\n\n    ```sh\n    cat pod\n    ```\n',
      '2 command blocks kept as text, because a step has one proof',
    ],
    [
      'leaves a command in a list inside of a list',
      '- Look:\n  - One waits?\n\n    ```sh\n    cat pod\n    ```\n',
      'command kept as text, because it is in a list inside of a list',
    ],
    [
      "reads pandoc's spelling of a language",
      '1.  List them:\n\n    ``` {.bash}\n    ls pods\n    ```\n',
      'its command is the proof, because it is the only one and has no gap',
    ],
    [
      "reads pandoc's spelling of a terminal",
      '1.  List them:\n\n    ``` {.console}\n    ls pods\n    ```\n',
      'kept as text, because a console block shows a terminal with its output',
    ],
  ])('%s', async (_, body, what) => {
    const source = `# T\n\n## Find it\n\n${body}\n## Write it down\n\ny\n`;
    const { decisions } = await imported(source, { steps: 'h2' });
    expect(decisions.map((each) => each.what)).toContain(`Find it: ${what}`);
  });

  it('keeps gaps of code in lists inside of lists', async () => {
    const { text } = await imported(
      '# T\n\n## Write <NAME>\n\n- so:\n  - with\n\n    ```html\n    <PAGE>\n    ```\n\n## Read it\n\ny\n',
    );
    expect(text).toContain('    <PAGE>\n');
  });

  it('keeps an item of very many rows, and one of very many blanks', async () => {
    const rows = '   x\n'.repeat(190_000);
    const { text } = await imported(`# T\n\n1. Stop it\n${rows}2. Start it${' '.repeat(60_000)}now\n`);
    expect(text.match(/^x$/gm)).toHaveLength(190_000);
    expect(await labels(text)).toEqual([
      expect.stringContaining('Stop it'),
      expect.stringContaining('Start it'),
    ]);
  });
});
