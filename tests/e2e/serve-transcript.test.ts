import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTALL_CLIENTS, type InstallClient } from '../../src/cli/commands/install/clients.ts';
import { editConfig } from '../../src/cli/commands/install/install.ts';
import { CLIENTS, overStdio, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';

const read = (path: string) => readFileSync(new URL(`../../docs/mcp/${path}`, import.meta.url), 'utf8');
const page = read('agents.md');
const protocol = /^````markdown\n(.*?)^````$/ms.exec(page)![1]!;
const blocks = [...page.matchAll(/^```json (call (?<tool>\w+)|answer)\n(?<json>.*?)^```$/gms)].map(
  ({ groups }) => ({ tool: groups!.tool, value: JSON.parse(groups!.json!) as unknown }),
);

/** What stands in angle brackets differs from run to run, and is the same wherever it stands in one. */
const PLACEHOLDER = /<[a-z_]+(?:-\d+)?>/g;

function fill(value: unknown, bound: Map<string, string>): unknown {
  return JSON.parse(JSON.stringify(value).replace(PLACEHOLDER, (name) => bound.get(name) ?? name));
}

/** Learns the values of placeholders that were not met yet from the answer that stands in their place. */
function learn(expected: unknown, actual: unknown, bound: Map<string, string>): void {
  if (typeof expected === 'string' && typeof actual === 'string') {
    const names = expected.match(PLACEHOLDER) ?? [];
    const pattern = expected
      .split(PLACEHOLDER)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('(.+?)');
    const values = new RegExp(`^${pattern}$`, 's').exec(actual)?.slice(1) ?? [];
    names.forEach((name, at) => {
      if (!bound.has(name) && values[at] !== undefined) bound.set(name, values[at]);
    });
  } else if (
    expected !== null &&
    typeof expected === 'object' &&
    actual !== null &&
    typeof actual === 'object'
  ) {
    for (const [key, item] of Object.entries(expected))
      learn(item, (actual as Record<string, unknown>)[key], bound);
  }
}

describe.each(CLIENTS)('the run in docs/mcp/agents.md (%s)', (kind) => {
  let home: CliHome;
  let client: TestClient;
  beforeAll(async () => {
    home = makeHome();
    client = await overStdio(kind, home);
  });
  afterAll(async () => {
    await client.close();
    home.remove();
  });

  it('goes as written', async () => {
    expect(structured(await client.call('kairos_mint', { markdown_doc: protocol }))).toMatchObject({
      status: 'stored',
    });
    const bound = new Map<string, string>();
    expect(blocks.length).toBeGreaterThanOrEqual(16);
    for (let at = 0; at < blocks.length; at += 2) {
      const args = fill(blocks[at]!.value, bound) as Record<string, unknown>;
      const answer = structured<Record<string, unknown>>(await client.call(blocks[at]!.tool!, args));
      learn(blocks[at + 1]!.value, answer, bound);
      expect(answer).toEqual(fill(blocks[at + 1]!.value, bound));
    }
    const runId = bound.get('<run_id>')!;
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
  });
});

describe('the pages of the clients', () => {
  it.each(Object.keys(INSTALL_CLIENTS) as (keyof typeof INSTALL_CLIENTS)[])(
    '%s shows what is written',
    (name) => {
      const client: InstallClient = INSTALL_CLIENTS[name];
      const text = read(`clients/${name}.md`);
      const start = { command: 'kairos', args: ['serve'] };
      const written = editConfig('', { client, file: 'x', name: 'kairos', start });
      const block = /^```(json|toml)\n(.*?)^```$/ms.exec(text)!;
      if (client.format === 'json') expect(JSON.parse(block[2]!)).toEqual(JSON.parse(written));
      else expect(block[2]).toBe(written);
      if (client.projectFile !== null) expect(text).toContain(client.projectFile);
      expect(text).toContain(`--client ${name}`);
    },
  );
});
