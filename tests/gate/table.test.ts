import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decideProposal, GATE_RULES, type GateAnswer } from '../../src/gate/decide.ts';
import { type CaseParts, caseOf, example, exampleTemplate } from './support/case.ts';

/** The specification's example on its template, changed at these JSON Pointers, and the whole answer to it. */
interface TableCase {
  name: string;
  set: Record<string, unknown>;
  remove?: string[];
  expected: GateAnswer;
}

const folder = join(import.meta.dirname, 'cases');
const tables = readdirSync(folder).map((file) => ({
  file,
  cases: JSON.parse(readFileSync(join(folder, file), 'utf8')) as TableCase[],
}));

for (const { file, cases } of tables) {
  describe(`decisions: ${file.replace('.json', '')}`, () => {
    it.each(cases)('$name', (row) => {
      expect(decideProposal(caseOf(partsOf(row)))).toEqual(row.expected);
    });
  });
}

describe('the table', () => {
  const all = tables.flatMap(({ cases }) => cases);
  const told = all.map(({ expected }) => expected.reasons.map(({ code }) => code));

  it('breaks each rule, and breaks it alone where nothing else has to break with it', () => {
    const never = GATE_RULES.map(({ code }) => code).filter(
      (code) => !told.some((codes) => codes.includes(code)),
    );
    const neverAlone = GATE_RULES.map(({ code }) => code).filter(
      (code) => !told.some((codes) => codes.every((other) => other === code) && codes.length > 0),
    );
    expect({ never, neverAlone }).toEqual({ never: [], neverAlone: [] });
  });

  it('reports violations in one order everywhere', () => {
    const order = ['K-PROP-100', 'K-PROP-101', 'K-PROP-102', 'K-PROP-104', 'K-PROP-105', 'K-PROP-108'];
    order.push(...GATE_RULES.map(({ code }) => code), 'K-PROP-140');
    for (const codes of told) {
      const places = codes.map((code) => order.indexOf(code));
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
    expect(all.length).toBeGreaterThanOrEqual(150);
  });

  it('gives a permit with ALLOW and with nothing else, and reasons with DENY and with nothing else', () => {
    for (const { name, expected } of all) {
      expect([name, expected.permit !== null, expected.reasons.length > 0]).toEqual([
        name,
        expected.decision === 'ALLOW',
        expected.decision === 'DENY',
      ]);
    }
  });
});

function partsOf({ set, remove = [] }: TableCase): CaseParts {
  const parts = { submitted: example(), template: exampleTemplate() };
  for (const [pointer, value] of Object.entries(set)) {
    const [node, key] = placeOf(parts, pointer);
    node[key] = structuredClone(value);
  }
  for (const pointer of remove) {
    const [node, key] = placeOf(parts, pointer);
    delete node[key];
  }
  return parts;
}

function placeOf(root: object, pointer: string): [node: Record<string, unknown>, key: string] {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = tokens.pop() ?? '';
  const node = tokens.reduce<unknown>((value, token) => (value as Record<string, unknown>)[token], root);
  return [node as Record<string, unknown>, key];
}
