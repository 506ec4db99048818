const SCALAR = {
  type: ['string', 'number', 'boolean', 'null'],
  description: 'Taken as written: 1.10 stays 1.10.',
};

const PROPOSAL = {
  type: [...SCALAR.type, 'object'],
  description: 'JSON text, or the object itself. What is left out is taken from the draft.',
};

/** Of an answers file, as `parseAnswers` reads it. */
export function answersSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'kairos answers file',
    description: 'For kairos run --answers: what would otherwise be asked.',
    type: 'object',
    properties: {
      answers: {
        type: 'object',
        description:
          'By the number of a step, its label, the slug of its label, or the id of a question (3.answer).',
        patternProperties: { '^[0-9]+\\.proposal$': PROPOSAL },
        additionalProperties: {
          anyOf: [
            SCALAR,
            {
              type: 'object',
              properties: { proposal: PROPOSAL },
              additionalProperties: SCALAR,
              description: 'By the name of a question.',
            },
          ],
        },
      },
    },
    required: ['answers'],
    additionalProperties: false,
  };
}
