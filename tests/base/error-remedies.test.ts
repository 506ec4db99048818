import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Their messages are reasons in a list of documents, and contain what to do. */
const LISTED = /^operations\/(?:import|import-check|export-protocol)\.ts$/;

/** The places where an error is made without a remedy. INTERNAL is a fault of kairos, and has one remedy for all. */
function withoutRemedy(file: string, text: string): string[] {
  const found: string[] = [];
  if (!text.includes('new KairosError(')) return found;
  const source = ts.createSourceFile(file, text, 99);
  const visit = (node: ts.Node) => {
    if (ts.isNewExpression(node) && node.expression.getText(source) === 'KairosError') {
      const [code, , options] = node.arguments ?? [];
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      if (
        code?.getText(source) !== "'INTERNAL'" &&
        (options === undefined || !/\bhint\b/.test(options.getText(source)))
      )
        found.push(`${file}:${line}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('errors', () => {
  it('each have a remedy', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !LISTED.test(file),
    );
    expect(files.flatMap((file) => withoutRemedy(file, readFileSync(join(SRC, file), 'utf8')))).toEqual([]);
  });

  it('are reported without a remedy', () => {
    const text = [
      `new KairosError('USAGE', 'a');`,
      `new KairosError('USAGE', 'the hint', { cause });`,
      `new KairosError('INTERNAL', 'a');`,
      `new KairosError('USAGE', 'a', { hint: 'b' });`,
      `new KairosError(code, 'a', { hint });`,
    ].join('\n');
    expect(withoutRemedy('a.ts', text)).toEqual(['a.ts:1', 'a.ts:2']);
  });
});
