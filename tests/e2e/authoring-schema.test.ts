import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAnswers } from '../../src/cli/terminal/parse-answers.ts';
import { makeEntry } from '../../src/ledger/entry.ts';
import { shapeFault } from '../../src/ledger/line.ts';
import { validateConfig } from '../../src/lint/config/schema.ts';
import { LINT_RULES } from '../../src/lint/rules/index.ts';
import { answersSchema, configSchema, ledgerEntrySchema } from '../../src/operations/json-schemas.ts';
import { stepBlockJsonSchema } from '../../src/protocol/json-schema.ts';
import { stepBlockSchema } from '../../src/protocol/schema.ts';
import { block } from '../lint/rewrite/support/documents.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';

const FOLDER = fileURLToPath(new URL('../../schemas/', import.meta.url));
const NAMES = [
  'answers',
  'config',
  'frontmatter',
  'hold',
  'inputs',
  'ledger-entry',
  'policy',
  'policy-cases',
  'proposal',
  'run-attestation',
  'step-block',
];
const compile = (schema: object) => new Ajv2020({ strict: false }).compile(schema);

describe('kairos schema', () => {
  let home: CliHome;
  beforeEach(() => {
    home = makeHome();
  });
  afterEach(() => home.remove());

  it('lists what there is', async () => {
    const { code, objects } = await kairosJson(home, ['schema']);
    const { schemas } = objects[0] as { schemas: { name: string }[] };
    expect({ code, names: schemas.map(({ name }) => name).sort() }).toEqual({ code: 0, names: NAMES });
  });

  it.each(NAMES)(
    'prints the schema of %s in schemas/ (node scripts/schemas.mjs updates it)',
    async (name) => {
      const { code, stdout } = await kairos(home, ['schema', name]);
      expect(code).toBe(0);
      expect(stdout).toBe(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
    },
  );

  it('has a file for each schema and no other', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(NAMES.map((name) => `${name}.json`).sort());
  });

  it('ends with 2 for an unknown name', async () => {
    const result = await kairos(home, ['schema', 'step-blok']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('Did you mean step-block?');
  });
});

describe('the schemas', () => {
  it('judge step blocks as the validator does', () => {
    const validate = compile(stepBlockJsonSchema());
    fc.assert(
      fc.property(fc.oneof(block, fc.jsonValue({ noUnicodeString: true })), (value) => {
        expect(validate(value)).toBe(stepBlockSchema.safeParse(value).success);
      }),
      { numRuns: 300 },
    );
  });

  const level = fc.constantFrom('error', 'off', 'fatal');
  const rule = fc.constantFrom('no-h1', 'step-empty', 'no-such-rule');
  it('judge configurations as the validator does', () => {
    const validate = compile(configSchema());
    const lint = fc.record(
      {
        rules: fc.dictionary(rule, level, { maxKeys: 2 }),
        ignore: fc.array(fc.constantFrom('a/', ''), { maxLength: 2 }),
        other: fc.constant(1),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.record({ lint, store: fc.constant('x') }, { requiredKeys: [] }), (value) => {
        expect(validate(value)).toBe('config' in validateConfig(value, LINT_RULES, 'the whole'));
      }),
      { numRuns: 300 },
    );
  });

  it('judge answers files as the reader does', () => {
    const validate = compile(answersSchema());
    const scalar = fc.constantFrom('yes', '1', 1.5, true, null);
    const answer = fc.oneof(
      scalar,
      fc.dictionary(fc.constantFrom('run', 'answer'), scalar),
      fc.constant(['a']),
    );
    const file = fc.oneof(
      fc.record({ answers: fc.dictionary(fc.constantFrom('1', 'Step', '2.run'), answer) }),
      fc.constantFrom({}, [], { answers: 'x' }, { answers: {}, more: 1 }),
    );
    const isRead = (text: string) => {
      try {
        return parseAnswers(text, 'answers.json') instanceof Map;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(file, (value) => {
        expect(validate(value)).toBe(isRead(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  it('judge the form of ledger entries as verifying does', () => {
    const validate = compile(ledgerEntrySchema());
    const entry = makeEntry('run-1', null, '2026-01-15T12:00:00.000Z', 'run.begun', {
      a: [1, 'x', null, { b: true }],
    });
    expect(validate(entry)).toBe(true);
    const odd = fc.constantFrom(
      null,
      -1,
      1.5,
      2,
      '',
      'x',
      {},
      [],
      { é: 1 },
      { a: 1.5 },
      { a: { b: [2 ** 53] } },
      'a'.repeat(64),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(entry), 'more'), fc.option(odd), (key, value) => {
        const { [key as 'v']: _, ...rest } = entry;
        const changed = value === null ? rest : { ...rest, [key]: value };
        expect(validate(changed)).toBe(shapeFault(changed) === null);
      }),
      { numRuns: 200 },
    );
  });
});
