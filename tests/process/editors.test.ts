import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { KAIROS_BIN, makeHome } from '../support/cli.ts';

const EDITORS = fileURLToPath(new URL('../../editors/', import.meta.url));
const DOCUMENT = `# Drain a host

Take a host out of service.

## Natural Language Triggers

- "drain the host"

## Drain it

Drain the host.

\`\`\`sh proof timeout=5m 
drain --host one
\`\`\`

## Look at it

Write down what you see.

\`\`\`json
{"challenge": {"type": "comment", "comment": {"min_length": 20}}}
\`\`\`

## Completion Rule

The host is out of service.
`;

interface Answers {
  fault?: string;
  findings: string[];
  completion: string[];
  hover: string;
  outline: string[];
  fixed: string;
  formatted: string;
  lenses: number;
}

const hasNeovim = spawnSync('nvim', ['--version']).status === 0;

it.skipIf(!hasNeovim)('serves Neovim with the configuration that ships for it', () => {
  const home = makeHome();
  try {
    const file = join(home.work, 'drain.md');
    writeFileSync(file, DOCUMENT);
    const command = JSON.stringify([process.execPath, KAIROS_BIN, 'lsp']);
    const setUp = [`let g:kairos_command=${command}`, `luafile ${EDITORS}neovim/kairos.lua`, 'filetype on'];
    const args = ['--headless', '-u', 'NONE', ...setUp.flatMap((each) => ['--cmd', each]), file];
    const output = execFileSync('nvim', [...args, '-c', `luafile ${EDITORS}neovim/session.lua`], {
      cwd: home.work,
      env: home.env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    const answers = JSON.parse(output) as Answers;
    expect(answers.fault).toBeUndefined();
    expect(answers.findings).toEqual(['legacy-challenge-key']);
    expect(answers.completion).toEqual(['exit=', 'workdir=', 'env=']);
    expect(answers.hover).toContain('Time limit in seconds');
    expect(answers.outline).toEqual([
      'Natural Language Triggers',
      '1. Drain it',
      '2. Look at it',
      'Completion Rule',
    ]);
    expect(answers.fixed).toContain('{"proof_of_work": {"type": "comment"');
    expect(answers.formatted).toContain('  "proof_of_work": {\n    "type": "comment"');
    expect(answers.lenses).toBe(3);
  } finally {
    home.remove();
  }
});

it('documents the Helix configuration that ships', () => {
  const shipped = readFileSync(`${EDITORS}helix/languages.toml`, 'utf8');
  const shown = /```toml\n([\s\S]*?)```/.exec(readFileSync(`${EDITORS}../docs/editors.md`, 'utf8'))![1]!;
  expect(shipped.startsWith(shown)).toBe(true);
});
