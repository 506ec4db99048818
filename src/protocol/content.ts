import type { ChainContent, ChainNode } from './model.ts';

/** The content of a parsed chain, without places: the value that is stored, hashed and run. */
export function toContent(chain: ChainNode): ChainContent {
  return {
    slug: chain.slug,
    title: chain.title,
    version: chain.version ?? null,
    tags: [...chain.tags],
    ...(Object.keys(chain.inputs).length === 0 ? {} : { inputs: chain.inputs }),
    description: chain.description,
    triggers: chain.triggers?.markdown ?? null,
    completion_rule: chain.completionRule?.markdown ?? null,
    steps: chain.steps.map((step) => ({
      label: step.label,
      body: step.body,
      block: step.block?.value ?? null,
    })),
  };
}
