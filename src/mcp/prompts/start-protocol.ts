import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Prompt } from './prompt.ts';

export const startProtocolPrompt: Prompt = {
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
    const { slug, uri } = await named(ctx, name);
    return [
      `Run the protocol "${slug}" with kairos, from its first step to its seal.`,
      ...(context === undefined || context.trim() === ''
        ? []
        : ['', `What it is about this time: ${context}`]),
      '',
      `Begin: call kairos_begin with uri ${uri}. After each result do what current_step describes, then make the call that next_action names. Ask me whenever a step needs a human's answer, and use only what I answer. Never report a result that did not happen. Stop and inform me when must_obey turns false.`,
    ].join('\n');
  },
};

/** By slug, else by title, ignoring case. The caller handles several with the same title. */
async function named(
  { store, caller }: OperationContext,
  name: string,
): Promise<{ slug: string; uri: string }> {
  const wanted = name.trim();
  const head = await store.headBySlug(caller.space, wanted);
  if (head !== null) return { slug: head.content.slug, uri: stepUri(head.chainId, 1) };
  const titled = (await store.listChains([caller.space])).filter(
    ({ title }) => title.trim().toLowerCase() === wanted.toLowerCase(),
  );
  const [only, ...others] = titled;
  if (only === undefined) {
    throw new KairosError(
      'NOT_FOUND',
      `no protocol has the slug or title ${JSON.stringify(name)} in space ${caller.space}`,
      { hint: 'Look for it with kairos_search.' },
    );
  }
  if (others.length > 0) {
    throw new KairosError(
      'INVALID_INPUT',
      `${titled.length} protocols have the title ${JSON.stringify(name)}`,
      {
        hint: `Name one by its slug: ${titled.map(({ slug }) => slug).join(', ')}.`,
      },
    );
  }
  return { slug: only.slug, uri: stepUri(only.chainId, 1) };
}
