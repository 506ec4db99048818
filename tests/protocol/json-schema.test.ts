import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { stepBlockJsonSchema } from '../../src/protocol/json-schema.ts';
import { stepBlockSchema } from '../../src/protocol/schema.ts';

const validate = new Ajv2020({ strict: false }).compile(stepBlockJsonSchema());

describe('stepBlockJsonSchema', () => {
  it('describes itself', () => {
    expect(stepBlockJsonSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'kairos step block',
      type: 'object',
      additionalProperties: false,
    });
  });

  it.each<[unknown, boolean]>([
    [{}, true],
    [{ proof_of_work: { type: 'comment' } }, true],
    [{ proof_of_work: { type: 'shell', shell: { cmd: 'a', timeout_seconds: 86_400 } } }, true],
    [{ proof_of_work: { type: 'shell', shell: { cmd: 'a', timeout_seconds: 86_401 } } }, false],
    [{ proof_of_work: { type: 'shell', shell: { cmd: '' } } }, false],
    [{ proof_of_work: { type: 'shell' } }, false],
    [{ proof_of_work: { type: 'mcp', mcp: { tool_name: 'a', arguments: { b: [null] } } } }, true],
    [{ proof_of_work: { type: 'comment', extra: 1 } }, false],
    [{ outputs: [{ path: 'a', sha256: 'x' }] }, false],
    [{ outputs: [] }, false],
    [{ challenge: {} }, false],
    [{ proposal: { action_type: 'delete', evidence_bindings: [{ evidence_id: 'a', ref: 'step:1' }] } }, true],
    [1, false],
  ])('judges %j as the validator does', (block, isValid) => {
    expect(validate(block)).toBe(isValid);
    expect(stepBlockSchema.safeParse(block).success).toBe(isValid);
  });
});
