import { stepBlockJsonSchema } from '../../../protocol/json-schema.ts';

type JsonSchema = Record<string, unknown>;

/** Every schema that `kairos schema` prints, by name; each is made when it is asked for. */
export const SCHEMAS: Readonly<Record<string, { summary: string; make: () => Promise<JsonSchema> }>> = {
  'step-block': {
    summary: 'what a step demands: the last fenced block of a step',
    make: async () => stepBlockJsonSchema(),
  },
  config: {
    summary: 'the configuration of a project',
    make: async () => (await import('./config.ts')).configSchema(),
  },
  answers: {
    summary: 'an answers file for kairos run',
    make: async () => (await import('./answers.ts')).answersSchema(),
  },
  'ledger-entry': {
    summary: 'a line of an exported ledger',
    make: async () => (await import('./ledger-entry.ts')).ledgerEntrySchema(),
  },
};
