import { mint } from '../../operations/mint.ts';
import { type MintInput, mintInput, mintOutput } from '../../operations/schemas.ts';
import type { Tool } from './tool.ts';

export const mintTool: Tool = {
  name: 'kairos_mint',
  title: 'Store a protocol',
  description:
    'Store a new protocol from markdown: the H1 is its title, each H2 a step, and a last json block {"proof_of_work": …} in a step what proves it. Use it when kairos_search found none and the way is worth keeping. Errors name lines to fix. Next: kairos_begin with the first uri.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changesProtocols: true,
  input: mintInput,
  parameters: {
    markdown_doc: 'The whole document.',
    llm_model_id: 'The model that wrote it.',
    force_update:
      'Store as a new revision where the slug exists or a title is alike; compare with kairos_dump first.',
    protocol_version: 'Semantic version, for example 1.2.0.',
    space: 'Another space than the one of this server.',
  },
  output: mintOutput,
  call: ({ ctx }, args: MintInput) => mint(ctx, args),
};
