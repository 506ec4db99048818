import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, startHttp } from '../../mcp/support.ts';
import { bundleProgram } from '../../support/bundle.ts';
import { type CliHome, makeHome } from '../../support/cli.ts';
import { type Official, official } from './official.ts';

/** What each revision requires, in number, frozen at its release. */
const REQUIRED = { '2025-11-25': 30, '2026-07-28': 37 } as const;
type Revision = keyof typeof REQUIRED;
const REVISIONS = Object.keys(REQUIRED) as Revision[];

/** Scenarios that ask for no tool, resource or prompt of the suite's own: the shipped server has to pass them. */
const GENERIC: Record<Revision, string[]> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'input-required-result-unsupported-methods',
    'http-header-validation',
  ],
};

/** Scenarios that the documentation says do not apply to the shipped server: the first column of its table. */
const NOT_APPLICABLE = new Set(
  readFileSync(new URL('../../../docs/mcp/server.md', import.meta.url), 'utf8')
    .split('## Conformance')[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...line.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
);
const unmet = new Set<string>();

const suite: Official | null = await official('conformance', [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
]);

interface Outcome {
  passed: string[];
  failed: string[];
  output: string;
}

async function judge(url: string, revision: Revision): Promise<Outcome> {
  const results = mkdtempSync(join(tmpdir(), 'kairos-conformance-'));
  try {
    const { output } = await suite!.run('conformance', [
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      '-o',
      results,
    ]);
    const summary = output.slice(output.indexOf('=== SUMMARY'));
    const scored = summary.slice(0, summary.indexOf('Total:'));
    const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
    const names = (mark: string) =>
      [...scored.matchAll(new RegExp(`^${mark} ([^:]+):`, 'gm'))].map(([, name]) => name!);
    return { passed: names('✓'), failed: names('✗').filter((name) => !unscored.has(name)), output };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

describe.skipIf(suite === null)('the official conformance suite', () => {
  let fixture: ChildProcess;
  let fixtureUrl: string;
  let home: CliHome;
  let shipped: HttpServer;
  let remove: () => void;

  beforeAll(async () => {
    const program = await bundleProgram(fileURLToPath(new URL('fixture-server.ts', import.meta.url)));
    remove = program.remove;
    fixture = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'ignore'] });
    [fixtureUrl] = (await once(createInterface({ input: fixture.stdout! }), 'line')) as [string];
    home = makeHome();
    shipped = await startHttp(home, ['--log-level', 'error']);
  });
  afterAll(async () => {
    fixture.kill('SIGKILL');
    remove();
    expect(await shipped.stop()).toBe(0);
    home.remove();
  });

  it.each(REVISIONS)('finds every required scenario of %s on the HTTP stack', async (revision) => {
    const { passed, failed } = await judge(fixtureUrl, revision);
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThanOrEqual(REQUIRED[revision]);
  });

  it.each(REVISIONS)('finds what needs no fixture of %s in the server that ships', async (revision) => {
    const { passed, failed } = await judge(shipped.url, revision);
    expect(passed).toEqual(expect.arrayContaining(GENERIC[revision]));
    expect(failed.filter((name) => !NOT_APPLICABLE.has(name))).toEqual([]);
    for (const name of failed) unmet.add(name);
  });

  it('lists in the documentation just what does not apply', () => {
    expect([...NOT_APPLICABLE].sort()).toEqual([...unmet].sort());
  });
});
