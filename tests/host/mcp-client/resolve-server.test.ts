// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how clients' files write variables
import { describe, expect, it } from 'vitest';
import type { FoundServer, ServerDefinition } from '../../../src/host/mcp-client/find-server.ts';
import { resolveServer } from '../../../src/host/mcp-client/resolve-server.ts';

const found = (definition: Partial<ServerDefinition>): FoundServer => ({
  definition: { name: 's', command: 'x', args: [], env: {}, cwd: null, ...definition },
  file: '/p/q/.mcp.json',
  scope: 'project',
  folder: '/p/q',
});
const env = { HOME: '/home/me', PATH: '/bin', TOKEN: 't', EMPTY: '', SECRET: 'no' };

describe('resolveServer', () => {
  it('fills in variables at any place', () => {
    const definition = {
      command: '${workspaceFolder}${/}bin${pathSeparator}server',
      args: ['--token=${TOKEN}', '${env:TOKEN}', '${ABSENT:-a default}', '${EMPTY:-}', '$TOKEN', '${EMPTY}'],
      env: { A: '${userHome}/${workspaceFolderBasename}', PATH: '/opt:${PATH}', B: '${EMPTY:-b}' },
      cwd: '${workspaceFolder}/sub',
    };
    expect(resolveServer(found(definition), env)).toEqual({
      command: '/p/q/bin/server',
      args: ['--token=t', 't', 'a default', '', '$TOKEN', ''],
      env: { HOME: '/home/me', PATH: '/opt:/bin', A: '/home/me/q', B: 'b' },
      cwd: '/p/q/sub',
    });
  });

  it('starts in the folder, or below it', () => {
    expect(resolveServer(found({}), env).cwd).toBe('/p/q');
    expect(resolveServer(found({ cwd: 'sub' }), env).cwd).toBe('/p/q/sub');
  });

  it('does not fill in twice', () => {
    expect(resolveServer(found({ args: ['${A}'] }), { A: '${B}', B: 'b' }).args).toEqual(['${B}']);
  });

  it.each([
    [{ args: ['${ABSENT}'] }, 'needs a variable that is not set: ${ABSENT}', 'Set ABSENT.'],
    [{ env: { A: '${env:ABSENT}' } }, 'needs a variable that is not set: ${env:ABSENT}', 'Set ABSENT.'],
    [{ args: ['${toString}'] }, 'needs a variable that is not set: ${toString}', 'Set toString.'],
    [
      { args: ['${input:key}'] },
      'needs what only its own client can fill in: ${input:key}',
      expect.any(String),
    ],
    [{ command: '${}' }, 'needs what only its own client can fill in: ${}', expect.any(String)],
  ])('does not start with a gap: %j', (definition, reason, hint) => {
    expect(() => resolveServer(found(definition), env)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: `the MCP server "s" of /p/q/.mcp.json ${reason}`,
        hint,
      }),
    );
  });
});
