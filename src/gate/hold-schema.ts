import * as z from 'zod/mini';
import { isSlug } from '../protocol/identity.ts';
import { readCommandPattern } from '../shell/held.ts';

/** `hold.yaml`: calls of an agent that wait for a step of a protocol. Descriptions are the hovers of editors. */
const about = <T extends z.ZodMiniType>(schema: T, description: string): T => {
  z.globalRegistry.add(schema, { description });
  return schema;
};
const nonEmpty = () => z.string().check(z.minLength(1));

const commandPattern = about(
  nonEmpty().check(
    z.refine((text) => readCommandPattern(text) !== null, {
      error: 'must be one simple command, such as git push; * stands for any text in a word',
    }),
  ),
  'A command and its first words, such as git push. Options may be between the words, further arguments behind them.',
);

const matchSchema = z
  .strictObject({
    command: about(z.optional(commandPattern), 'A shell command.'),
    tool: about(
      z.optional(nonEmpty()),
      'Name of a tool, or SERVER/NAME for a tool of an MCP server. * stands for any text.',
    ),
    arguments: about(
      z.optional(z.record(z.string(), z.unknown())),
      'Arguments that the tool call must have. * in a text stands for any text.',
    ),
  })
  .check(
    z.refine(({ command, tool }) => (command === undefined) !== (tool === undefined), {
      error: 'must name either a command or a tool',
    }),
    z.refine(({ command, arguments: args }) => command === undefined || args === undefined, {
      error: 'has arguments, which only a tool has',
    }),
  );

const proposedHold = {
  match: about(matchSchema, 'The calls that are held.'),
  step: about(
    z.optional(z.int().check(z.gte(1))),
    'Number of the step that lets the call through. Left out: any step.',
  ),
  allow_when: about(
    z._default(z.enum(['demanded', 'open', 'attested']), 'demanded'),
    'demanded: the pending step of a run demands exactly this call. open: a run is open. attested: a run has succeeded.',
  ),
  else: about(
    z._default(z.enum(['deny', 'ask']), 'deny'),
    'deny: the call is refused. ask: the client asks the user, where it can.',
  ),
};

export const holdSchema = z.strictObject({
  ...proposedHold,
  protocol: about(
    z.string().check(z.refine(isSlug, { error: 'must be the slug of a protocol' })),
    'Slug of the protocol that lets the call through.',
  ),
});
export type Hold = z.infer<typeof holdSchema>;

export const holdListSchema = z.strictObject({
  holds: about(
    z.array(holdSchema),
    'The holds. If several match a call, it is enough that one lets it through.',
  ),
});

export type HoldReading = { ok: true; holds: Hold[] } | { ok: false; problems: string[] };

/** A parsed `hold.yaml`: its holds, or each problem with its path. An empty document has no holds. */
export function readHoldList(value: unknown): HoldReading {
  const result = holdListSchema.safeParse(value ?? { holds: [] });
  if (result.success) return { ok: true, holds: result.data.holds };
  const problems = result.error.issues.map(({ path, message }) => {
    const at = path.map(String).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  return { ok: false, problems };
}

/** JSON Schema of `hold.yaml`, made from the schema that validates it. */
export function holdJsonSchema(): Record<string, unknown> {
  return {
    title: 'kairos hold list',
    description: 'hold.yaml: calls of an agent that wait for a step of a protocol.',
    ...z.toJSONSchema(holdListSchema, { target: 'draft-2020-12', io: 'input' }),
  };
}
