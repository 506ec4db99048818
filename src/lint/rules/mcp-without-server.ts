import type { LintRule } from '../rule.ts';
import { keyPlaceOf } from './support/written.ts';

export const mcpWithoutServer: LintRule = {
  id: 'mcp-without-server',
  family: 'proof',
  severity: 'info',
  summary: 'A tool call names the server that it goes to.',
  why: 'Two servers may offer tools with the same name, and kairos calls a tool itself only if it knows which server to start. Otherwise the result is a claim of the agent or user.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.type !== 'mcp' || proof.mcp.server !== undefined) continue;
      context.report({
        place: keyPlaceOf(context, block, ['proof_of_work', 'mcp', 'tool_name']),
        reason: `No server is named for the tool ${JSON.stringify(proof.mcp.tool_name)}, so kairos cannot call it itself. Add "server" with the name that clients have configured.`,
      });
    }
  },
};
