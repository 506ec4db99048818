import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { toolSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

/** A tool as `tools/list` shows it. */
export function listing({ name, title, description, hints, input, parameters, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: toolSchema(input, 'input', parameters) as ListedTool['inputSchema'],
    outputSchema: toolSchema(output, 'output') as ListedTool['outputSchema'],
    annotations: { title, ...hints },
  };
}
