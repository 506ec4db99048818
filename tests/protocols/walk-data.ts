import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parameterEnvironment } from '../../src/gate/permit/permit.ts';

/** What a walk of one shipped protocol needs; `steps` by 1-based index, see tests/fixtures/fakes/README.md. */
export interface Walk {
  env: Record<string, string>;
  inputs: Record<string, string>;
  captures: Record<string, string>;
  files: Record<string, string>;
  steps: Record<string, WalkStep>;
  closing: string;
}

export interface WalkStep {
  user_input?: string;
  comment?: string;
  /** What the model answers. */
  sampling?: unknown;
  /** What the draft of the step's proposal lacks. */
  proposal?: { target: Record<string, unknown>; parameters: Record<string, unknown> };
  mcp?: { tool_name: string; arguments: Record<string, unknown>; result: unknown; success: boolean };
}

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));

/** The fake MCP server: started with a slug, it offers the tools that this protocol calls. */
export const MCP_SERVER = join(FIXTURES, 'fakes', 'mcp-server.mjs');

/** The folder of fake programs. */
export const FAKES = join(FIXTURES, 'fakes', 'bin');

/** A PATH on which the fakes hide the real programs, and this very Node.js every other one. */
export const FAKES_PATH = [FAKES, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);

/** All walks, by slug. */
export function loadWalks(): Record<string, Walk> {
  return JSON.parse(readFileSync(join(FIXTURES, 'walks.json'), 'utf8'));
}

/** A new directory below the system's temporary one, holding the files of the walk; the caller removes it. */
export async function prepareDirectory(walk: Walk): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kairos-walk-'));
  for (const [path, content] of Object.entries(walk.files)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return directory;
}

/** Values that commands of the walk get without naming them: inputs, captures, and the parameters of its proposals. */
export function givenValues({ inputs, captures, steps }: Walk): Record<string, string> {
  const parameters = Object.values(steps).map(({ proposal }) =>
    parameterEnvironment(proposal?.parameters ?? {}),
  );
  return Object.assign({}, inputs, captures, ...parameters);
}
