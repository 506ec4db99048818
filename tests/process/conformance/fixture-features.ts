import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** What the official conformance suite asks a server to have, so that the transport under it can be judged. */
export type Answer = CallToolResult | InputRequiredResult;
export interface Feature {
  inputSchema?: Record<string, unknown>;
  call(ctx: ServerContext, args: Record<string, unknown>): Promise<Answer> | Answer;
}
/** Seals what a later round has to know. */
export type Mint = (payload: unknown) => Promise<string>;

/** One pixel, and a wave file without a sample. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: 'object' as const,
  properties,
  required,
});
const elicit = (message: string, requestedSchema: object) =>
  inputRequired.elicit({ message, requestedSchema: requestedSchema as never });
const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens,
  });
const name = { name: { type: 'string' } };

/** Asks once, and tells what came back. */
function asking(
  key: string,
  request: (args: Record<string, unknown>) => InputRequests[string],
  words: string,
): Feature['call'] {
  return ({ mcpReq }, args) => {
    const view = inputResponse(mcpReq.inputResponses, key);
    if (view.kind === 'missing') return inputRequired({ inputRequests: { [key]: request(args) } });
    if (view.kind === 'elicit') {
      return text(`${words}: action=${view.action}, content=${JSON.stringify(view.content ?? {})}`);
    }
    return text(
      `${words}: ${view.kind === 'roots' ? JSON.stringify(view.roots) : JSON.stringify(view.result.content)}`,
    );
  };
}

export function features(mint: Mint): Record<string, Feature> {
  return {
    test_simple_text: { call: () => text('This is a simple text response for testing.') },
    test_image_content: { call: () => ({ content: [image] }) },
    test_audio_content: { call: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
    test_embedded_resource: {
      call: () => ({
        content: [
          {
            type: 'resource',
            resource: {
              uri: 'test://embedded-resource',
              mimeType: 'text/plain',
              text: 'This is an embedded resource content.',
            },
          },
        ],
      }),
    },
    test_multiple_content_types: {
      call: () => ({
        content: [
          { type: 'text', text: 'Multiple content types test:' },
          image,
          {
            type: 'resource',
            resource: {
              uri: 'test://mixed-content-resource',
              mimeType: 'application/json',
              text: '{"test":"data","value":123}',
            },
          },
        ],
      }),
    },
    test_tool_with_logging: {
      call: async ({ mcpReq }) => {
        for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
          await mcpReq.log('info', words);
          await delay(50);
        }
        return text('Told three times.');
      },
    },
    test_error_handling: {
      call: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
    },
    test_tool_with_progress: {
      call: async ({ mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken;
        for (const progress of [0, 50, 100]) {
          if (progressToken !== undefined) {
            await mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken, progress, total: 100 },
            });
          }
          await delay(50);
        }
        return text('Went all the way.');
      },
    },
    test_sampling: {
      inputSchema: object({ prompt: { type: 'string' } }),
      call: ({ mcpReq }, { prompt }) => {
        const view = inputResponse(mcpReq.inputResponses, 'answer');
        if (view.kind !== 'sampling') {
          return inputRequired({ inputRequests: { answer: sample(String(prompt), 100) } });
        }
        const { content } = view.result;
        return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`);
      },
    },
    test_elicitation: {
      inputSchema: object({ message: { type: 'string' } }),
      call: asking(
        'user',
        ({ message }) =>
          elicit(
            String(message),
            object({
              username: { type: 'string', description: "User's response" },
              email: { type: 'string', description: "User's email address" },
            }),
          ),
        'User response',
      ),
    },
    test_elicitation_sep1034_defaults: {
      call: asking(
        'defaults',
        () =>
          elicit(
            'Are these right?',
            object(
              {
                name: { type: 'string', default: 'John Doe' },
                age: { type: 'integer', default: 30 },
                score: { type: 'number', default: 95.5 },
                status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
                verified: { type: 'boolean', default: true },
              },
              [],
            ),
          ),
        'Elicitation completed',
      ),
    },
    test_elicitation_sep1330_enums: {
      call: asking('enums', () => elicit('Which of these?', object(ENUMS, [])), 'Elicitation completed'),
    },
    test_input_required_result_elicitation: {
      call: ({ mcpReq }) => {
        const given = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name');
        return given === undefined
          ? inputRequired({ inputRequests: { user_name: elicit('What is your name?', object(name)) } })
          : text(`Hello, ${given.name}!`);
      },
    },
    test_input_required_result_sampling: {
      call: asking('capital_question', () => sample('What is the capital of France?', 100), 'The model said'),
    },
    test_input_required_result_list_roots: {
      call: asking('client_roots', () => inputRequired.listRoots(), 'The roots are'),
    },
    test_input_required_result_request_state: { call: confirmed(mint) },
    test_input_required_result_tampered_state: { call: confirmed(mint) },
    test_input_required_result_multiple_inputs: {
      call: async ({ mcpReq }) => {
        const keys = ['user_name', 'greeting', 'client_roots'];
        const all = keys.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing');
        if (all && mcpReq.requestState() !== undefined) return text('All three were given.');
        return inputRequired({
          inputRequests: {
            user_name: elicit('What is your name?', object(name)),
            greeting: sample('Generate a greeting', 50),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await mint({ round: 1 }),
        });
      },
    },
    test_input_required_result_multi_round: {
      call: async ({ mcpReq }) => {
        const round = mcpReq.requestState<{ round: number }>()?.round ?? 0;
        if (round === 2 && acceptedContent(mcpReq.inputResponses, 'step2'))
          return text('Both steps were answered.');
        if (round === 1 && acceptedContent(mcpReq.inputResponses, 'step1')) {
          const step2 = elicit('Step 2: What is your favorite color?', object({ color: { type: 'string' } }));
          return inputRequired({ inputRequests: { step2 }, requestState: await mint({ round: 2 }) });
        }
        const step1 = elicit('Step 1: What is your name?', object(name));
        return inputRequired({ inputRequests: { step1 }, requestState: await mint({ round: 1 }) });
      },
    },
    test_missing_capability: { call: asking('needed', () => sample('Say something.', 10), 'The model said') },
    test_streaming_elicitation: {
      call: async (ctx, args) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress: 1 },
          });
          await delay(5);
        }
        return asking('user_name', () => elicit('What is your name?', object(name)), 'Asked')(ctx, args);
      },
    },
    test_logging_tool: {
      call: async ({ mcpReq }) => {
        await mcpReq.log('info', 'Only for those who want it.');
        await delay(5);
        return text('Told whoever wants to hear it.');
      },
    },
    test_input_required_result_capabilities: {
      call: ({ mcpReq }) => {
        const can = ((mcpReq.envelope as Record<string, unknown> | undefined)?.[
          'io.modelcontextprotocol/clientCapabilities'
        ] ?? {}) as Record<string, unknown>;
        if (mcpReq.inputResponses !== undefined) return text('Asked what the client can do.');
        const inputRequests: InputRequests = {
          ...(can.elicitation ? { user_name: elicit('What is your name?', object(name)) } : {}),
          ...(can.sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
        };
        return Object.keys(inputRequests).length === 0
          ? text('The client can do neither.')
          : inputRequired({ inputRequests });
      },
    },
  };
}

function confirmed(mint: Mint): Feature['call'] {
  return async ({ mcpReq }) => {
    const sealed = mcpReq.requestState<{ round: number }>();
    if (sealed !== undefined && acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined)
      return text('state-ok');
    const confirm = elicit('Please confirm', object({ ok: { type: 'boolean' } }));
    return inputRequired({ inputRequests: { confirm }, requestState: await mint({ round: 1 }) });
  };
}

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];
const ENUMS = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};
