import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';
import { keyPlaceOf } from './support/written.ts';

const mcp = (more: object) => ({
  proof_of_work: { type: 'mcp', mcp: { tool_name: 'read_text_file', ...more } },
});

/** Tool calls that kairos cannot make itself. */
export const mcpWithoutServer: LintRule = {
  id: 'mcp-without-server',
  family: 'proof',
  severity: 'info',
  summary: 'A tool call names the server that it goes to.',
  why: 'Two servers may offer tools with the same name, and kairos calls a tool itself only if it knows which server to start. Otherwise the result is a claim of the agent or user.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A tool of any server',
        source: chain('Onboard', step('Read the runbook', 'Read it.', mcp({}))),
        findings: [
          {
            line: 8,
            column: 43,
            reason:
              'No server is named for the tool "read_text_file", so kairos cannot call it itself. Add "server" with the name that clients have configured.',
          },
        ],
      },
      {
        title: 'A tool of a named server',
        source: chain('Onboard', step('Read the runbook', 'Read it.', mcp({ server: 'filesystem' }))),
        findings: [],
      },
    ];
  },
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
