import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { type QdrantDouble, startDouble } from '../support/qdrant-double/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/qdrant.md'), 'utf8');
const KEY = 'docs-key';

let double: QdrantDouble;
let home: CliHome;
beforeAll(async () => {
  double = await startDouble({ apiKey: KEY });
  home = makeHome();
  home.env.QDRANT_API_KEY = KEY;
});
afterAll(async () => {
  home.remove();
  expect(double.violations).toEqual([]);
  await double.close();
});

describe('docs/qdrant.md', () => {
  const commands = [...page.matchAll(/^\$ kairos (.*)$/gm)].map(([, command]) => command ?? '');

  it('shows commands that work', async () => {
    expect(commands.length).toBeGreaterThanOrEqual(5);
    for (const command of commands) {
      const args = command
        .replaceAll('"', '')
        .replace(/localhost:\d+/, `127.0.0.1:${double.port}`)
        .split(' ');
      const result = await kairos(home, args, { cwd: ROOT });
      expect([command, result]).toEqual([command, expect.objectContaining({ code: 0 })]);
    }
    expect([...double.state.aliases]).toEqual([['team', 'team_v1']]);
  });

  it('moves a store there and back again, byte for byte', async () => {
    const there = double.address('moved');
    const protocols = readdirSync(join(ROOT, 'protocols'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(ROOT, 'protocols', name));
    const steps = [
      ['mint', ...protocols, '--store', 'kairos.db'],
      ['store', 'export', 'before.jsonl', '--store', 'kairos.db'],
      ['store', 'copy', 'kairos.db', there],
      ['store', 'export', 'after.jsonl', '--store', there],
      ['store', 'copy', there, 'back.db'],
      ['store', 'export', 'back.jsonl', '--store', 'back.db'],
    ];
    for (const args of steps) expect([args, await kairos(home, args)]).toMatchObject([args, { code: 0 }]);
    const [before, after, back] = ['before', 'after', 'back'].map((name) =>
      readFileSync(join(home.work, `${name}.jsonl`), 'utf8'),
    );
    expect(before?.split('\n').length).toBeGreaterThan(10);
    expect([after, back]).toEqual([before, before]);
  });
});

describe('docker-compose.yml', () => {
  interface Service {
    image: string;
    profiles?: string[];
    ports: string[];
    environment: Record<string, string>;
    command?: string[];
  }
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };

  it('starts a version that is new enough, reachable from this machine only, and never without a key', () => {
    for (const { image, ports, environment } of Object.values(services)) {
      expect(Number(/:v1\.(\d+)\./.exec(image)?.[1])).toBeGreaterThanOrEqual(17);
      expect(ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+:6333$/)]);
      expect(environment.QDRANT__SERVICE__API_KEY).toMatch(/^\$\{QDRANT_API_KEY:\?/);
    }
  });

  it('has one server, or three that know each other', () => {
    const names = Object.keys(services);
    const alone = names.filter((name) => services[name]?.profiles === undefined);
    const cluster = names.filter((name) => services[name]?.profiles?.includes('cluster'));
    expect([alone, cluster]).toEqual([['qdrant'], ['qdrant-1', 'qdrant-2', 'qdrant-3']]);
    for (const name of cluster) {
      expect(services[name]?.environment.QDRANT__CLUSTER__ENABLED).toBe('true');
      expect(services[name]?.command).toContain(`http://${name}:6335`);
    }
    const [port] = /localhost:(\d+)\/team\?replicas/.exec(page)?.slice(1) ?? [];
    expect(services['qdrant-1']?.ports[0]).toContain(`:${port}:`);
  });
});
