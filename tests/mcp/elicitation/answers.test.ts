import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formFor, readElicitation } from '../../../src/mcp/elicitation/ask.ts';
import {
  readConfirmation,
  readSampledConfirmation,
  readSampledOutput,
  samplingForStep,
  samplingForUser,
} from '../../../src/mcp/elicitation/question.ts';
import { loadPatternTools } from '../../../src/proof/tools.ts';

const patterns = await loadPatternTools();
const prompt = 'May it go on?';
const PLACE = 'walk-about, step 2/3';
const invalid = { kind: 'invalid' };
const declined = { kind: 'declined' };
const answered = (answer: unknown) => ({ kind: 'answered', answer });
const text = (content: string) => ({
  role: 'assistant',
  model: 'm',
  content: { type: 'text', text: content },
});

describe('a form', () => {
  it('has the approval, the choices or the pattern of its step', () => {
    const form = (field: object) => ({
      message: prompt,
      requestedSchema: {
        type: 'object',
        properties: { confirmation: { type: 'string', title: 'Your answer', description: PLACE, ...field } },
        required: ['confirmation'],
      },
    });
    expect(formFor({ prompt }, PLACE)).toEqual(form({ enum: ['approved', 'rejected'] }));
    expect(formFor({ prompt, choices: ['a', 'b'] }, PLACE)).toEqual(form({ enum: ['a', 'b'] }));
    // The choices say more than the pattern, which is checked all the same.
    expect(formFor({ prompt, choices: ['a', 'b'], pattern: 'a' }, PLACE)).toEqual(form({ enum: ['a', 'b'] }));
    const words = (pattern: string) => `${PLACE}. It has to match ${pattern} as a whole.`;
    expect(formFor({ prompt, pattern: 'v[0-9]+' }, PLACE)).toEqual(
      form({ description: words('v[0-9]+'), minLength: 1, pattern: '^(?:v[0-9]+)$' }),
    );
    // Only RE2 has this one: a client that compiled it would fail.
    expect(formFor({ prompt, pattern: '(?i)yes' }, PLACE)).toEqual(
      form({ description: words('(?i)yes'), minLength: 1 }),
    );
  });

  it.each([
    [{ action: 'accept', content: { confirmation: 'approved' } }, answered('approved')],
    [{ action: 'accept', content: { confirmation: 'rejected' } }, declined],
    [{ action: 'decline' }, declined],
    [{ action: 'cancel' }, declined],
    [{ action: 'decline', content: { confirmation: 'approved' } }, declined],
    [{ action: 'accept' }, invalid],
    [{ action: 'accept', content: { confirmation: 'Approved' } }, invalid],
    [{ action: 'accept', content: { confirmation: ' approved' } }, invalid],
    [{ action: 'accept', content: { confirmation: true } }, invalid],
    [{ action: 'accept', content: { confirmation: 1 } }, invalid],
    [{ action: 'accept', content: { confirmation: ['approved'] } }, invalid],
    [{ action: 'accept', content: { confirmation: 'approved', note: 'x' } }, invalid],
    [{ action: 'accept', content: { answer: 'approved' } }, invalid],
    [{ action: 'accept', content: ['approved'] }, invalid],
    [{ action: 'maybe', content: { confirmation: 'approved' } }, invalid],
    [{ confirmation: 'approved' }, invalid],
    [null, invalid],
    ['approved', invalid],
  ])('that comes back with %j', (result, outcome) => {
    expect(readElicitation({ prompt }, result, patterns)).toEqual(outcome);
  });
});

describe('a confirmation', () => {
  const read = (definition: object, confirmation: string) =>
    readConfirmation({ prompt, ...definition }, { confirmation }, patterns);

  it.each([
    [{ choices: ['keep', 'drop'] }, 'keep', answered('keep')],
    [{ choices: ['keep', 'drop'] }, 'approved', invalid],
    [{ choices: ['keep', 'drop'] }, 'rejected', declined],
    [{ pattern: 'v[0-9]+' }, 'v12', answered('v12')],
    [{ pattern: 'v[0-9]+' }, 'v12 or so', invalid],
    [{ pattern: 'v[0-9]+' }, 'rejected', declined],
    // A pattern that cannot be used lets nothing pass.
    [{ pattern: '(?=a)' }, 'a', invalid],
    [{ choices: ['v1', 'w1'], pattern: 'v.*' }, 'w1', invalid],
    [{ choices: ['v1', 'w1'], pattern: 'v.*' }, 'v1', answered('v1')],
  ])('%j: %s', (definition, confirmation, outcome) => {
    expect(read(definition, confirmation)).toEqual(outcome);
  });

  it('that is not a choice never passes, and rejected never approves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        fc.string(),
        (choices, confirmation) => {
          const outcome = read({ choices }, confirmation);
          if (outcome.kind === 'answered') {
            expect(choices).toContain(outcome.answer);
            expect(outcome.answer).not.toBe('rejected');
          }
        },
      ),
    );
  });
});

describe('a request for a model', () => {
  const step = {
    system: 'You sort.',
    prompt: 'Sort this.',
    temperature: 0,
    top_p: 0.5,
    max_tokens: 99,
    output_schema: { type: 'object' },
  };

  it('is exactly what the author wrote, with what MCP has no field for as metadata', () => {
    expect(samplingForStep(step, { auto: false })).toEqual({
      systemPrompt: 'You sort.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Sort this.' } }],
      temperature: 0,
      maxTokens: 99,
      metadata: { top_p: 0.5, approval_mode: 'user' },
    });
  });

  it('is automatic only where author and server both ask for it', () => {
    const mode = (approval: 'user' | 'auto' | undefined, auto: boolean) =>
      samplingForStep({ ...step, approval_mode: approval }, { auto }).metadata;
    expect(mode('auto', true)).toEqual({ top_p: 0.5, approval_mode: 'auto' });
    for (const [approval, auto] of [
      ['auto', false],
      ['user', true],
      [undefined, true],
    ] as const) {
      expect(mode(approval, auto)).toEqual({ top_p: 0.5, approval_mode: 'user' });
    }
  });

  it('for a user has the prompt shown, the answers named and approval asked for', () => {
    const request = samplingForUser({ prompt, choices: ['keep', 'drop'] });
    expect(request.systemPrompt).toMatch(/^Show the following prompt to the user/);
    expect(request.systemPrompt).toContain('Return only JSON, without any other text: {"confirmation": ');
    expect(request.systemPrompt).toContain('["keep","drop"]');
    expect(request.messages).toEqual([{ role: 'user', content: { type: 'text', text: prompt } }]);
    expect(request.metadata).toEqual({ approval_mode: 'user' });
    expect(samplingForUser({ prompt, pattern: 'v.' }).systemPrompt).toContain('"v."');
    expect(samplingForUser({ prompt }).systemPrompt).toContain('["approved","rejected"]');
  });
});

describe("a model's output", () => {
  it.each([
    [text('{"a": 1}'), answered({ a: 1 })],
    [text(' [1, 2]\n'), answered([1, 2])],
    [text('null'), answered(null)],
    [{ ...text(''), content: [{ type: 'text', text: '"x"' }] }, answered('x')],
    [text('Here it is: {"a": 1}'), invalid],
    [text('```json\n{"a": 1}\n```'), invalid],
    [text(''), invalid],
    [text('{"a": 1} {"a": 2}'), invalid],
    [text('{"a": 1, "a": 2}'), invalid],
    [{ ...text(''), content: { type: 'image', data: '', mimeType: 'image/png' } }, invalid],
    [{ ...text(''), content: [] }, invalid],
    [
      {
        ...text(''),
        content: [
          { type: 'text', text: '1' },
          { type: 'text', text: '2' },
        ],
      },
      invalid,
    ],
    [undefined, invalid],
    [{ content: 'text' }, invalid],
  ])('%j', (result, outcome) => {
    expect(readSampledOutput(result)).toEqual(outcome);
  });

  it.each([
    ['{"confirmation": "approved"}', answered('approved')],
    ['{"confirmation": "rejected"}', declined],
    ['{"confirmation": "rejected", "confirmation": "approved"}', invalid],
    ['{"confirmation": "approved", "sure": true}', invalid],
    ['{"confirmation": 1}', invalid],
    ['"approved"', invalid],
    ['approved', invalid],
  ])('for a user: %s', (output, outcome) => {
    expect(readSampledConfirmation({ prompt }, text(output), patterns)).toEqual(outcome);
  });
});
