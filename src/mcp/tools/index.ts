import { deleteTool, dumpTool, mintTool, searchTool, spacesTool, updateTool } from './protocols.ts';
import type { Tool } from './tool.ts';
import { attestTool, beginTool, nextTool, proposeTool } from './walk.ts';

/** Every tool, in the order in which they are used. A new one is added to the file of its kind and in a line here; at most ten. */
const TOOLS: readonly Tool[] = [
  searchTool,
  beginTool,
  nextTool,
  attestTool,
  proposeTool,
  mintTool,
  updateTool,
  deleteTool,
  dumpTool,
  spacesTool,
];

/** The tools that a server offers. */
export function toolsFor({ readOnly }: { readOnly: boolean }): readonly Tool[] {
  return readOnly ? TOOLS.filter(({ changesProtocols }) => !changesProtocols) : TOOLS;
}
