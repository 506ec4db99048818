import { KairosError } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { RESERVED_CREATE_ID, stepUri } from '../../protocol/identity.ts';
import type { Prompt } from './prompt.ts';

const PROOFS = ['shell', 'mcp', 'user_input', 'comment'];

export const authorProtocolPrompt: Prompt = {
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
    if (proof !== undefined && proof !== '' && !PROOFS.includes(proof)) {
      const near = suggest(proof, PROOFS);
      throw new KairosError('INVALID_INPUT', `proof: unknown kind of proof ${JSON.stringify(proof)}`, {
        hint: `${near === undefined ? '' : `Did you mean ${near}? `}There are ${PROOFS.join(', ')}.`,
      });
    }
    return [
      `Write a kairos protocol for this goal: ${goal}`,
      '',
      `Run the protocol that is made for this: call kairos_begin with uri ${stepUri(RESERVED_CREATE_ID, 1)} and follow next_action.`,
      ...(proof === undefined || proof === ''
        ? []
        : [`Where a step allows it, demand a proof of type ${proof}.`]),
      ...(tag === undefined || tag === '' ? [] : [`Give it the tag ${tag}.`]),
      'Show me the markdown before you store it with kairos_mint.',
    ].join('\n');
  },
};
