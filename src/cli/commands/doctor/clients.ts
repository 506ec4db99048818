import { configFiles, readServers } from '../../../host/mcp-client/config-files.ts';
import { type Check, type Finding, ok, warning } from './check.ts';

/** The configuration files of MCP clients: which servers they know, and whether kairos is one of them. */
export const checkClients: Check = async ({ io }) => {
  const findings: Finding[] = [];
  for (const file of await configFiles({ cwd: io.cwd, env: io.env })) {
    try {
      const servers = await readServers(file);
      if (servers === null) continue;
      const names = Object.keys(servers);
      const listed = names.length === 0 ? 'no servers' : names.join(', ');
      const known = names.some((name) => isKairos(name, servers[name])) ? '; kairos is one of them' : '';
      findings.push(ok('mcp client', `${file.path}: ${listed}${known}`));
    } catch (error) {
      findings.push(
        warning('mcp client', (error as Error).message, 'Steps that call a tool cannot use this file.'),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('mcp client', 'no configuration of an MCP client found')];
};

function isKairos(name: string, server: unknown): boolean {
  if (/\bkairos\b/.test(name)) return true;
  const { command, args } = (server ?? {}) as { command?: unknown; args?: unknown };
  return [command, ...(Array.isArray(args) ? args : [])].some(
    (word) => typeof word === 'string' && /\bkairos(?:\.js)?$/.test(word),
  );
}
