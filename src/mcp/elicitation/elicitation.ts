import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { PatternTools } from '../../proof/verdict.ts';
import { choicesOf, readConfirmation, type UserInputDefinition } from './allowed-answer.ts';
import type { Outcome } from './plan.ts';

/** The form that a step's prompt becomes (`elicitation/create`): one field, with the step's choices or pattern. */
export function formFor(definition: UserInputDefinition): ElicitRequestFormParams {
  return {
    message: definition.prompt,
    requestedSchema: {
      type: 'object',
      properties: { confirmation: fieldFor(definition) },
      required: ['confirmation'],
    },
  };
}

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];

function fieldFor(definition: UserInputDefinition): Field {
  const title = 'Your answer';
  const choices = choicesOf(definition);
  if (choices !== null) return { type: 'string', title, enum: [...choices] };
  const { pattern = '' } = definition;
  return {
    type: 'string',
    title,
    description: `It has to match ${pattern} as a whole.`,
    minLength: 1,
    // Clients read patterns as ECMA-262; a pattern that only RE2 has is described in words, and checked when
    // the answer arrives.
    ...(isEcma(pattern) ? { pattern: `^(?:${pattern})$` } : {}),
  } as Field;
}

function isEcma(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** The result of a form. Closing it declines: silence is not an answer. */
export function readElicitation(
  definition: UserInputDefinition,
  result: unknown,
  patterns: PatternTools,
): Outcome {
  const { action, content } = (result ?? {}) as { action?: unknown; content?: unknown };
  if (action === 'decline' || action === 'cancel') return { kind: 'declined' };
  return action === 'accept' ? readConfirmation(definition, content, patterns) : { kind: 'invalid' };
}
