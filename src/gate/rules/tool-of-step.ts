import { kernelTool } from '../kernel-request.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-119');

/** The tool of a KernelRequest is the tool of the step. */
export const toolOfStep: Rule = {
  code: 'K-PROP-119',
  title: 'The tool of a KernelRequest is the tool of the step',
  check: ({ reading, guarded: { demand } }) => {
    const tool = kernelTool(reading.value);
    return tool === null || (demand.type === 'mcp' && demand.mcp.tool_name === tool)
      ? []
      : [found('', 'The tool_call names another tool than the step uses.')];
  },
};
