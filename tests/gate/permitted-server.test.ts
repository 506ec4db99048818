import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { solveMcp } from '../../src/cli/commands/run/mcp-step.ts';
import type { StepContext } from '../../src/cli/commands/run/work.ts';
import type { NamedServer } from '../../src/gate/input.ts';
import type { FoundServer } from '../../src/host/mcp-client/find-server.ts';
import { serverDigest } from '../../src/host/mcp-client/resolve-server.ts';
import { executeTool } from '../../src/mcp/server/execute-tool.ts';
import { pendingTool } from '../../src/operations/next.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import type { RunPlace } from '../../src/run/ports.ts';
import { makeContext } from '../support/context.ts';
import { walkToGuard } from './support/walk.ts';

/** A permit for the tool of an MCP server is for the server as it was defined when the permit was used. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kairos-server-'));
  for (const folder of ['.cursor', 'work']) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const CHANGED = {
  code: 'INVALID_INPUT',
  message: 'the MCP server "crm" was changed after the permit for it was given',
  hint: expect.stringMatching(/^Nothing was called\. Read .+, then submit a new proposal\.$/),
};
const MCP = { tool_name: 'crm_update', server: 'crm', arguments: {} };
const definition = (database: string) => ({
  name: 'crm',
  command: 'sh',
  args: ['-c', `touch ${join(root, 'started')}`, database],
  env: {},
  cwd: null,
});

/** A run that has used its permit, judged with this server. */
async function permitted(named: NamedServer | null) {
  const place: RunPlace = { host: 'here', workdir: root, roots: [] };
  const names = {
    server: async () => named,
    linkedFolder: () => undefined,
    commands: async () => () => ({ values: {}, files: {} }),
  };
  const ctx = await makeContext({ over: { place, names } });
  const rules = [{ match: { action_types: ['write'] } }];
  const walk = await walkToGuard({
    ctx,
    beside: { proof_of_work: { type: 'mcp', mcp: MCP } },
    policy: { version: 1, rules },
  });
  expect(await walk.propose(walk.shown.challenge!.proposal_draft)).toMatchObject({ decision: 'ALLOW' });
  return walk;
}

const named = (database: string): NamedServer => {
  const { command, args } = definition(database);
  const digest = serverDigest(definition(database));
  return { command, arguments: args, environment: [], directory: null, file: 'mcp.json', digest };
};

describe.each([
  ['another one', () => named('staging')],
  ['none', () => null],
])('an MCP server that is production now, and was %s when the permit was used', (_, earlier) => {
  it('is not called by kairos run', async () => {
    const { ctx, runId, consume } = await permitted(earlier());
    await consume();
    const { command, args } = definition('production');
    const file = join(root, '.cursor', 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { crm: { command, args } } }));
    const { state } = (await loadRun(ctx, runId))!;
    const session = { root: join(root, 'work'), io: { env: { HOME: root } } };
    const work = { session, station: state.stations[1], state } as unknown as StepContext;
    await expect(solveMcp(work, MCP as never, 'crm')).rejects.toMatchObject(CHANGED);
  });

  it('is not called by a server', async () => {
    const { ctx, runId, uris, kinds } = await permitted(earlier());
    const uri = uris[1]!;
    const pending = (await pendingTool(ctx, { uri, run_id: runId }))!;
    const server: FoundServer = {
      definition: definition('production'),
      file: join(root, 'mcp.json'),
      scope: 'user',
      folder: root,
    };
    const { signal } = new AbortController();
    const call = { ctx, input: { uri, run_id: runId }, pending, server, env: {}, signal };
    await expect(executeTool(call)).rejects.toMatchObject(CHANGED);
    expect(await kinds()).toContain('permit.consumed');
    expect(await kinds()).not.toContain('command.started');
  });
});
