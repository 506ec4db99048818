import { attestTool } from './attest.ts';
import { beginTool } from './begin.ts';
import { deleteTool } from './delete.ts';
import { dumpTool } from './dump.ts';
import { mintTool } from './mint.ts';
import { nextTool } from './next.ts';
import { proposeTool } from './propose.ts';
import { searchTool } from './search.ts';
import { spacesTool } from './spaces.ts';
import type { Tool } from './tool.ts';
import { updateTool } from './update.ts';

/** Every tool, in the order in which they are used. A new one is a new file and a line here; at most ten. */
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
