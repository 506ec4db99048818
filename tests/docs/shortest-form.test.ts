import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readPlainYaml } from '../../src/formats/yaml.ts';
import { shorthandOf } from '../../src/protocol/render.ts';
import { stepBlockSchema } from '../../src/protocol/schema.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Pages of rules about the full form or an older spelling, and how many step blocks show it. */
const ON_PURPOSE: Readonly<Record<string, number>> = {
  'docs/rules/block-unknown-key.md': 1,
  'docs/rules/hidden-character.md': 2,
  'docs/rules/legacy-flat-shell.md': 2,
  'docs/rules/reference-in-command.md': 3,
  'docs/rules/shell-interactive.md': 1,
  'docs/rules/shell-variable-not-passed.md': 2,
  'docs/rules/timeout-missing.md': 4,
};

function markdownFiles(): string[] {
  const below = ['docs', 'protocols', 'editors'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return [...readdirSync(ROOT), ...below]
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .sort();
}

/** How many step blocks of a text say in JSON or YAML what a `sh proof` fence says in fewer words. */
function longForms(text: string): number {
  const fences = [...text.matchAll(/^ *(`{3,}|~{3,})(?:json|yaml)\n([\s\S]*?)\n *\1/gm)];
  return fences.filter(({ 2: body }) => {
    const read = readPlainYaml(body!);
    const block = 'fault' in read ? null : stepBlockSchema.safeParse(read.value);
    return block?.success === true && shorthandOf(block.data) !== null;
  }).length;
}

it('every page shows a command in the shortest form', () => {
  const files = markdownFiles();
  expect(files.length).toBeGreaterThan(150);
  const counted = files.map((path) => [path, longForms(readFileSync(join(ROOT, path), 'utf8'))] as const);
  expect(Object.fromEntries(counted.filter(([, count]) => count > 0))).toEqual(ON_PURPOSE);
});
