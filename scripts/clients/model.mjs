import { createServer } from 'node:http';

/**
 * A model behind the HTTP APIs that clients call: Anthropic messages, OpenAI responses and chat completions, and Gemini. Each turn is what
 * `nextTurn` returns. `seen.tools` has every tool with its schema, as the client translated it for its model.
 */
export async function startModel(nextTurn, log = () => {}) {
  const seen = { tools: new Map(), paths: new Set() };
  const server = createServer((req, res) => {
    serve(req, res).catch((error) => {
      log(String(error.stack));
      res.writeHead(500).end(String(error));
    });
  });

  async function serve(req, res) {
    const body = await bodyOf(req);
    const { pathname } = new URL(req.url, 'http://localhost');
    seen.paths.add(`${req.method} ${pathname}`);
    const api = APIS.find(({ path }) => req.method === 'POST' && path.test(pathname));
    if (api === undefined) return serveOther(pathname, res);
    const conversation = api.read(body);
    for (const { name, schema } of conversation.tools) seen.tools.set(name, schema);
    const turn = nextTurn({ tools: conversation.tools, results: conversation.results.map(textOf) });
    if (turn.tool === undefined && conversation.tools.length > 0)
      log(
        JSON.stringify({
          tools: conversation.tools.map((t) => t.name),
          last: conversation.results.at(-1) ?? null,
        }).slice(0, 3000),
      );
    log(`${pathname} ${conversation.results.length} results -> ${JSON.stringify(turn)}`);
    api.write(res, turn, body, pathname, conversation);
  }

  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Lists of models, counts of tokens, telemetry: short answers that clients accept. */
function serveOther(pathname, res) {
  const body = /count_?tokens/i.test(pathname)
    ? { input_tokens: 10, totalTokens: 10 }
    : /models$/.test(pathname)
      ? {
          object: 'list',
          data: [{ id: 'scripted', object: 'model', type: 'model', display_name: 'scripted' }],
          models: [],
        }
      : {};
  json(res, body);
}

let count = 0;
const newId = (prefix) => {
  count += 1;
  return `${prefix}_${count}`;
};

const APIS = [
  {
    path: /\/messages$/,
    read: ({ tools = [], messages }) => ({
      tools: tools.map(({ name, input_schema: schema }) => ({ name, schema })),
      results: messages.flatMap(({ content }) =>
        Array.isArray(content)
          ? content.filter(({ type }) => type === 'tool_result').map((block) => block.content)
          : [],
      ),
    }),
    write(res, turn, { stream, model }) {
      const block =
        turn.tool === undefined
          ? { type: 'text', text: turn.text }
          : { type: 'tool_use', id: newId('toolu'), name: turn.tool, input: turn.args };
      const stop_reason = turn.tool === undefined ? 'end_turn' : 'tool_use';
      const usage = { input_tokens: 10, output_tokens: 10 };
      const message = {
        id: newId('msg'),
        type: 'message',
        role: 'assistant',
        model,
        content: [block],
        stop_reason,
        usage,
      };
      if (!stream) return json(res, message);
      const events = [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: turn.tool === undefined ? { type: 'text', text: '' } : { ...block, input: {} },
        },
        {
          type: 'content_block_delta',
          index: 0,
          delta:
            turn.tool === undefined
              ? { type: 'text_delta', text: turn.text }
              : { type: 'input_json_delta', partial_json: JSON.stringify(turn.args) },
        },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ];
      sendEvents(
        res,
        events.map((data) => ({ event: data.type, data })),
      );
    },
  },
  {
    path: /\/responses$/,
    read: ({ tools = [], input }) => ({
      tools: tools.flatMap(({ type, name, parameters: schema, tools: inner }) =>
        type === 'namespace'
          ? inner.map((tool) => ({ name: tool.name, namespace: name, schema: tool.parameters }))
          : type === 'function'
            ? [{ name, schema }]
            : type === 'tool_search'
              ? [{ name: 'tool_search', kind: 'search', schema: {} }]
              : [],
      ),
      results: (Array.isArray(input) ? input : [])
        .filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => output),
    }),
    write(res, turn, _body, _path, { tools }) {
      const namespace = tools.find(({ name }) => name === turn.tool)?.namespace;
      const item =
        turn.tool === undefined
          ? {
              type: 'message',
              id: newId('msg'),
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: turn.text, annotations: [] }],
            }
          : {
              type: 'function_call',
              id: newId('fc'),
              call_id: newId('call'),
              status: 'completed',
              name: turn.tool,
              ...(namespace === undefined ? {} : { namespace }),
              arguments: JSON.stringify(turn.args),
            };
      const usage = {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 20,
      };
      const response = { id: newId('resp'), object: 'response', status: 'completed', output: [item], usage };
      const events = [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ];
      sendEvents(
        res,
        events.map((data) => ({ event: data.type, data })),
      );
    },
  },
  {
    path: /\/chat\/completions$/,
    read: ({ tools = [], messages }) => ({
      tools: tools.map(({ function: { name, parameters: schema } }) => ({ name, schema })),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
    }),
    write(res, turn, { stream, model }) {
      const id = newId('chat');
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
      const call =
        turn.tool === undefined
          ? undefined
          : [
              {
                index: 0,
                id: newId('call'),
                type: 'function',
                function: { name: turn.tool, arguments: JSON.stringify(turn.args) },
              },
            ];
      const said = {
        role: 'assistant',
        content: turn.text ?? null,
        ...(call === undefined ? {} : { tool_calls: call }),
      };
      const finish_reason = call === undefined ? 'stop' : 'tool_calls';
      const base = { id, created: 1, model };
      if (!stream) {
        const choices = [{ index: 0, message: said, finish_reason }];
        return json(res, { ...base, object: 'chat.completion', choices, usage });
      }
      const chunk = (delta, reason) => ({
        data: {
          ...base,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta, finish_reason: reason }],
        },
      });
      sendEvents(res, [
        chunk(said, null),
        chunk({}, finish_reason),
        { data: { ...base, object: 'chat.completion.chunk', choices: [], usage } },
        { data: '[DONE]' },
      ]);
    },
  },
  {
    path: /:(?:streamG|g)enerateContent$/,
    read: ({ tools = [], contents }) => ({
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, parameters, parametersJsonSchema }) => ({
          name,
          schema: parametersJsonSchema ?? parameters,
        })),
      results: contents.flatMap(({ parts = [] }) =>
        parts
          .filter((part) => part.functionResponse !== undefined)
          .map((part) => part.functionResponse.response),
      ),
    }),
    write(res, turn, { generationConfig = {} }, pathname) {
      // Questions beside the conversation want JSON.
      const isSide = generationConfig.responseMimeType === 'application/json';
      const text = isSide ? JSON.stringify(SIDE_ANSWER) : turn.text;
      const part =
        turn.tool === undefined || isSide ? { text } : { functionCall: { name: turn.tool, args: turn.args } };
      const data = {
        candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
        modelVersion: 'scripted',
      };
      if (!pathname.includes('stream')) return json(res, data);
      sendEvents(res, [{ data }]);
    },
  },
];

/** Fits each question that Gemini CLI puts beside a conversation. */
const SIDE_ANSWER = {
  reasoning: 'none',
  next_speaker: 'user',
  model_choice: 'flash',
  complexity_reasoning: 'none',
  complexity_score: 1,
  confidence: 0,
};

function textOf(content) {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part) => part?.text ?? JSON.stringify(part)).join('\n');
  return JSON.stringify(content ?? '');
}

function json(res, body) {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendEvents(res, events) {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { event, data } of events) {
    if (event !== undefined) res.write(`event: ${event}\n`);
    res.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  res.end();
}

async function bodyOf(req) {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text.startsWith('{') ? JSON.parse(text) : {};
}
