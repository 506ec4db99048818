import { hasProblem, type LintRule } from '../rule.ts';

/** Clients of agents cut longer answers (docs/mcp/clients/npm.md). */
const MOST_BYTES = 10_000;

export const stepTooLong: LintRule = {
  id: 'step-too-long',
  family: 'document',
  severity: 'info',
  summary: 'A step has at most 10 kB of text.',
  why: 'An agent gets the text of a step in one answer. Some clients cut answers of more than about 10 kB in the middle, so the agent reads the step without its instructions and never learns that something is missing. People skip a text of that length too.',
  check(context) {
    for (const { step: node } of context.steps) {
      // A character has at most three bytes, or four for two.
      if (node.body.length * 3 <= MOST_BYTES || hasProblem(context, node.place)) continue;
      const bytes = new TextEncoder().encode(node.body).length;
      if (bytes <= MOST_BYTES) continue;
      context.report({
        place: node.labelPlace,
        reason: `Step ${node.index}, ${JSON.stringify(node.label)}, has ${Math.round(bytes / 1000)} kB of text, and some clients of agents cut more than 10 kB. Make several steps of it, or link to the details.`,
      });
    }
  },
};
