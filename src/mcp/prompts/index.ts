import {
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { declaredInputs, inputText, readGiven, requireNoFaults } from '../../operations/run/inputs.ts';
import { isSlug, RESERVED_CREATE_ID, stepUri } from '../../protocol/identity.ts';
import type { Revision } from '../../store/port.ts';
import { isUuid } from '../resources/resources.ts';

const startProtocolPrompt: Prompt = {
  name: 'start_protocol',
  title: 'Run a protocol',
  description: 'Begin a protocol by its name and run it to its end.',
  arguments: [
    { name: 'name', description: 'Slug or title of the protocol.', required: true },
    { name: 'context', description: 'What it is about this time.', required: false },
  ],
  complete: {
    name: async ({ store, caller }, typed) => {
      const chains = await store.listChains([caller.space]);
      const start = typed.toLowerCase();
      return chains
        .filter(({ slug, title }) => slug.startsWith(start) || title.toLowerCase().startsWith(start))
        .map(({ slug }) => slug);
    },
  },
  async text(ctx, { name = '', context }) {
    const found = await named(ctx, name);
    // A name that is not one is what the user wants done.
    if (found === null) return searchText([name, context].filter(Boolean).join(' '));
    const { slug, uri } = found;
    const isAbout = context !== undefined && context.trim() !== '';
    return walkText(slug, uri, isAbout ? [`What it is about this time: ${context}`] : []);
  },
};

/** The prompt of a protocol, by its slug: begins it with the inputs that are given as arguments. */
function protocolPrompt(revision: Revision): Prompt {
  const { chainId, content } = revision;
  const declared = Object.entries(declaredInputs(revision));
  // What a person types here goes to the model, so a secret is not asked for.
  const open = declared.filter(([, { secret }]) => secret !== true);
  const secrets = declared.filter(([, { secret }]) => secret === true).map(([name]) => name);
  return {
    name: content.slug,
    title: content.title,
    description: `Run the protocol ${content.slug} of ${content.steps.length} ${content.steps.length === 1 ? 'step' : 'steps'}.`,
    arguments: open.map(([name, input]) => ({
      name,
      description: inputText(input),
      required: input.default === undefined,
    })),
    complete: Object.fromEntries(
      open.map(([name, { choices, type }]) => [
        name,
        async (_ctx: OperationContext, typed: string) =>
          (choices ?? (type === 'boolean' ? ['true', 'false'] : [])).filter((value) =>
            value.startsWith(typed),
          ),
      ]),
    ),
    async text(_ctx, args) {
      const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ''));
      const secret = secrets.find((name) => Object.hasOwn(given, name));
      if (secret !== undefined)
        throw new KairosError(
          'INVALID_INPUT',
          `${secret} is secret, and arguments of a prompt go to the model`,
          { hint: 'Leave it out. The agent asks for it when the run begins.' },
        );
      const { faults } = await readGiven(Object.fromEntries(open), given);
      requireNoFaults(faults);
      const inputs = Object.keys(given).length === 0 ? '' : ` and inputs ${JSON.stringify(given)}`;
      const asked = secrets.length === 0 ? [] : [`It also needs ${secrets.join(', ')}: ask me for that.`];
      return walkText(content.slug, `${stepUri(chainId, 1)}${inputs}`, asked);
    },
  };
}

/** What the user's model has to do with a protocol. */
function walkText(slug: string, begin: string, more: readonly string[]): string {
  return [
    `Run the protocol "${slug}" with kairos, from its first step to its seal.`,
    ...more.flatMap((text) => ['', text]),
    '',
    `Begin: call kairos_begin with uri ${begin}. After each result do what current_step describes, then make the call that next_action names. Ask me whenever a step needs a human's answer, and use only what I answer. Never report a result that did not happen. Stop and inform me when must_obey turns false.`,
  ].join('\n');
}

function searchText(task: string): string {
  return [
    `Find the kairos protocol for this: ${task}`,
    '',
    'Call kairos_search with it in several phrasings (a | b | c), then follow next_action. Ask me if no protocol clearly matches.',
  ].join('\n');
}

/** By slug, else by title, ignoring case; null for an unknown name. */
async function named(
  { store, caller }: OperationContext,
  name: string,
): Promise<{ slug: string; uri: string } | null> {
  const wanted = name.trim();
  const head = await store.headBySlug(caller.space, wanted);
  if (head !== null) return { slug: head.content.slug, uri: stepUri(head.chainId, 1) };
  const titled = (await store.listChains([caller.space])).filter(
    ({ title }) => title.trim().toLowerCase() === wanted.toLowerCase(),
  );
  const [only, ...others] = titled;
  if (only === undefined) return null;
  if (others.length > 0) {
    throw new KairosError(
      'INVALID_INPUT',
      `${titled.length} protocols have the title ${JSON.stringify(name)}`,
      { hint: `Name one by its slug: ${titled.map(({ slug }) => slug).join(', ')}.` },
    );
  }
  return { slug: only.slug, uri: stepUri(only.chainId, 1) };
}

const PROOFS = ['shell', 'mcp', 'user_input', 'comment'];

const authorProtocolPrompt: Prompt = {
  name: 'author_protocol',
  title: 'Write a new protocol',
  description: 'Turn a procedure into a protocol whose steps can be proven, and store it.',
  arguments: [
    { name: 'goal', description: 'What the procedure achieves.', required: true },
    {
      name: 'proof',
      description: 'The kind of proof to prefer: shell, mcp, user_input or comment.',
      required: false,
    },
    { name: 'tag', description: 'A tag to file it under.', required: false },
  ],
  complete: {
    proof: async (_ctx, typed) => PROOFS.filter((proof) => proof.startsWith(typed.toLowerCase())),
    tag: async ({ store, caller }, typed) => {
      const chains = await store.listChains([caller.space]);
      const tags = new Set(chains.flatMap((chain) => chain.tags));
      return [...tags].filter((tag) => tag.toLowerCase().startsWith(typed.toLowerCase())).sort();
    },
  },
  async text(_ctx, { goal = '', proof, tag }) {
    // Claude Code splits what is typed at blanks: words other than a proof belong to the goal.
    const isProof = proof === undefined || proof === '' || PROOFS.includes(proof);
    const words = isProof ? [goal] : [goal, proof, tag];
    return [
      `Write a kairos protocol for this goal: ${words.filter(Boolean).join(' ')}`,
      '',
      `Run the protocol that is made for this: call kairos_begin with uri ${stepUri(RESERVED_CREATE_ID, 1)} and follow next_action.`,
      ...(isProof && proof ? [`Where a step allows it, demand a proof of type ${proof}.`] : []),
      ...(isProof && tag ? [`Give it the tag ${tag}.`] : []),
      'Show me the markdown before you store it with kairos_mint.',
    ].join('\n');
  },
};

/** Every prompt. A new one is a constant above and its name here. */
const PROMPTS: readonly Prompt[] = [startProtocolPrompt, authorProtocolPrompt];

/** Writing a protocol has no use where none can be stored. */
function offered({ readOnly }: Pick<OperationContext, 'readOnly'>): readonly Prompt[] {
  return readOnly ? PROMPTS.filter((prompt) => prompt !== authorProtocolPrompt) : PROMPTS;
}

/** A prompt by its name: one of kairos, or that of the protocol with this slug. */
export async function findPrompt(ctx: OperationContext, name: string): Promise<Prompt | undefined> {
  const own = offered(ctx).find((prompt) => prompt.name === name);
  if (own !== undefined || !isSlug(name)) return own;
  const head = await ctx.store.headBySlug(ctx.caller.space, name);
  return head === null ? undefined : protocolPrompt(head);
}

/** Protocols in one page. */
const LIST_PAGE = 100;

/** `prompts/list`: those of kairos, then one for each protocol, page by page. */
export async function listPrompts(ctx: OperationContext, cursor?: string): Promise<ListPromptsResult> {
  if (cursor !== undefined && !isUuid(cursor)) throw invalid('Invalid cursor');
  const { store, caller } = ctx;
  const found = await store.chainsAfter(caller.space, cursor ?? null, LIST_PAGE + 1);
  const chains = found.slice(0, LIST_PAGE);
  const heads = await Promise.all(chains.map(({ chainId }) => store.head(chainId)));
  const own = cursor === undefined ? offered(ctx) : [];
  const prompts = [...own, ...heads.flatMap((head) => (head === null ? [] : [protocolPrompt(head)]))];
  return {
    prompts: prompts.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: args,
    })),
    ...(found.length > LIST_PAGE ? { nextCursor: chains.at(-1)!.chainId } : {}),
  };
}

/** `prompts/get`. Missing arguments and unknown names are errors of the call. */
export async function getPrompt(
  ctx: OperationContext,
  name: string,
  args: Record<string, string>,
): Promise<GetPromptResult> {
  const prompt = await findPrompt(ctx, name);
  if (prompt === undefined) throw invalid(`Unknown prompt: ${name}`);
  const missing = prompt.arguments.find((argument) => argument.required && !args[argument.name]?.trim());
  if (missing !== undefined) throw invalid(`Missing argument: ${missing.name}`);
  const text = await prompt.text(ctx, args).catch((error: unknown) => {
    throw error instanceof KairosError
      ? invalid([`${error.code}: ${error.message}`, error.hint].filter(Boolean).join('\n'))
      : error;
  });
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** A prompt that a person picks in their client. */
interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  /** The possible values of an argument, by its name. */
  complete: Record<string, (ctx: OperationContext, typed: string) => Promise<string[]>>;
  /** The message to the model. KairosError when an argument cannot be used. */
  text(ctx: OperationContext, args: Record<string, string>): Promise<string>;
}
