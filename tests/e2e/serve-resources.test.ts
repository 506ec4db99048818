import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overHttp, overStdio, startHttp, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

let home: CliHome;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(
    join(home.work, 'a.md'),
    `---\ntags: [round, water]\n---\n${protocolOf(['none', 'comment'], 'Walk about')}`,
  );
  writeFileSync(join(home.work, 'b.md'), protocolOf(['none'], 'Sit down'));
  expect(await kairos(home, ['mint', 'a.md', 'b.md'], { prepares: true })).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

/** What each revision says of a resource that is not there. */
const MISSING = { 'sdk-1': -32002, 'sdk-2': -32602 };

describe.each(['sdk-1', 'sdk-2'] as const)('resources and prompts (%s)', (kind) => {
  let test: TestClient;
  let client: Client;
  beforeAll(async () => {
    test = await overStdio(kind, home);
    client = test.client as Client;
  });
  afterAll(() => test.close());

  const textOf = async (uri: string) => {
    const { contents } = await client.readResource({ uri });
    expect(contents).toHaveLength(1);
    return contents[0] as { uri: string; mimeType: string; text: string };
  };

  it('lists every protocol, and reads each as markdown', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name).toSorted()).toEqual(['chains', 'sit-down', 'walk-about']);
    const walk = resources.find(({ name }) => name === 'walk-about')!;
    expect(walk).toMatchObject({
      title: 'Walk about',
      mimeType: 'text/markdown',
      description: 'Protocol of 2 steps.',
    });
    const content = await textOf(walk.uri);
    expect(content).toMatchObject({ uri: walk.uri, mimeType: 'text/markdown' });
    expect(content.text).toContain('# Walk about');
    expect(content.text).toContain('## Part 2 comment');
    const chains = JSON.parse((await textOf('kairos://chains')).text);
    expect(chains).toContainEqual({
      uri: walk.uri,
      slug: 'walk-about',
      title: 'Walk about',
      tags: ['round', 'water'],
      step_count: 2,
      protocol_version: null,
      updated_at: expect.any(String),
    });
  });

  it('reads a step, and the record of a run as kairos exports it', async () => {
    const begun = structured<{ run_id: string; next_step: { uri: string } }>(
      await test.call('kairos_begin', { key: 'walk-about' }),
    );
    expect((await textOf(begun.next_step.uri)).text).not.toContain('# Walk about\n');
    const record = await textOf(`kairos://run/${begun.run_id}`);
    expect(record.mimeType).toBe('application/jsonl');
    expect(record.text).toBe((await kairos(home, ['runs', 'export', begun.run_id])).stdout);
  });

  it('finds nothing that is missing', async () => {
    for (const uri of [
      'kairos://mem/00000000-0000-4000-8000-000000000000',
      'kairos://mem/x',
      'kairos://run/00000000-0000-4000-8000-000000000000',
      'kairos://run/..',
      'file:///etc/passwd',
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({
        code: MISSING[kind],
        message: expect.stringContaining('Resource not found'),
        data: { uri },
      });
    }
    await expect(client.listResources({ cursor: 'x' })).rejects.toMatchObject({ code: -32602 });
  });

  it('completes templates and arguments', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'kairos://mem/{uuid}',
      'kairos://run/{id}',
    ]);
    const values = async (ref: object, name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } } as never)).completion.values;
    const step = { type: 'ref/resource', uri: 'kairos://mem/{uuid}' };
    const [uuid] = await values(step, 'uuid', 'walk');
    expect((await textOf(`kairos://mem/${uuid}`)).text).toContain('# Walk about');
    expect(await values(step, 'uuid', uuid!.slice(0, 6))).toEqual([uuid]);
    expect(await values({ type: 'ref/prompt', name: 'start_protocol' }, 'name', 's')).toEqual(['sit-down']);
    expect(await values({ type: 'ref/prompt', name: 'author_protocol' }, 'tag', 'w')).toEqual(['water']);
    expect(await values({ type: 'ref/prompt', name: 'author_protocol' }, 'proof', '')).toHaveLength(4);
    const runs = await values({ type: 'ref/resource', uri: 'kairos://run/{id}' }, 'id', '');
    expect(runs.length).toBeGreaterThan(0);
  });

  it('gives prompts that lead to the first call', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.slice(0, 2).map(({ name }) => name)).toEqual(['start_protocol', 'author_protocol']);
    const ofProtocols = prompts.slice(2).map(({ name }) => name);
    expect(ofProtocols.sort()).toEqual(['sit-down', 'walk-about']);
    const text = async (name: string, args: Record<string, string>) =>
      ((await client.getPrompt({ name, arguments: args })).messages[0]!.content as { text: string }).text;
    const started = await text('start_protocol', { name: 'walk-about', context: 'The big pond.' });
    const uri = /kairos_begin with uri (kairos:\/\/mem\/[0-9a-f-]{36})/.exec(started)![1]!;
    expect(started).toContain('The big pond.');
    expect(structured(await test.call('kairos_begin', { uri }))).toMatchObject({ must_obey: true });
    const authored = await text('author_protocol', { goal: 'Feed the ducks', proof: 'shell', tag: 'water' });
    expect(authored).toContain('Feed the ducks');
    const create = /kairos_begin with uri (kairos:\/\/mem\/[0-9a-f-]{36})/.exec(authored)![1]!;
    expect(structured(await test.call('kairos_begin', { uri: create }))).toMatchObject({ must_obey: true });
    // A name that isn't one is a task to search for.
    expect(await text('start_protocol', { name: 'nothing' })).toMatch(
      /^Find the kairos protocol for this: nothing\n/,
    );
    await expect(text('start_protocol', {})).rejects.toThrow(/Missing argument: name/);
  });
});

it.each(['sdk-1', 'sdk-2'] as const)(
  'reports a missing resource over HTTP like elsewhere (%s)',
  async (kind) => {
    const server = await startHttp(home);
    const test = await overHttp(kind, server.url);
    const uri = 'kairos://mem/00000000-0000-4000-8000-000000000000';
    await expect((test.client as Client).readResource({ uri })).rejects.toMatchObject({
      code: MISSING[kind],
    });
    await test.close();
    expect(await server.stop()).toBe(0);
  },
);

it('keeps every answer under 1 MiB and names the resource with the rest', async () => {
  const own = makeHome();
  const text = '"Look" at it: \\ 証明書.\n\n'.repeat(30_000);
  const steps = Array.from({ length: 990 }, (_, at) => `## Part ${at}\n\nTODO\n\n`).join('');
  writeFileSync(join(own.work, 'long.md'), `# Long text\n\n## Read\n\n${text}\n\n## Say\n\nSay it.\n`);
  expect(await kairos(own, ['mint', 'long.md'], { prepares: true })).toMatchObject({ code: 0 });
  const test = await overStdio('sdk-1', own);
  const client = test.client as Client;
  const size = (result: object) => Buffer.byteLength(JSON.stringify(result));
  try {
    const begun = await client.callTool({ name: 'kairos_begin', arguments: { key: 'long-text' } });
    expect(size(begun)).toBeLessThan(2 ** 20);
    const { run_id, current_step, challenge } = structured(begun as Parameters<typeof structured>[0]) as {
      run_id: string;
      current_step: { uri: string; content: string };
      challenge: object | null;
    };
    expect(current_step.content).toContain(`Read it from the resource ${current_step.uri}]`);
    expect(challenge).toBeNull();
    const dump = { uri: current_step.uri, protocol: true };
    expect(size(await client.callTool({ name: 'kairos_dump', arguments: dump }))).toBeLessThan(2 ** 20);
    const markdown_doc = `# Many findings\n\n${steps}`;
    const minted = await client.callTool({ name: 'kairos_mint', arguments: { markdown_doc } });
    expect(size(minted)).toBeLessThan(2 ** 20);
    expect(structured(minted as Parameters<typeof structured>[0])).toMatchObject({ status: 'stored' });

    // The parts of a resource are the whole document.
    let whole = '';
    for (let uri: string | undefined = current_step.uri; uri !== undefined; ) {
      const read = await client.readResource({ uri });
      expect(size(read)).toBeLessThan(2 ** 20);
      const part = (read.contents[0] as { text: string }).text;
      const rest = /\n\[The answer has no room for the rest\. Read it from the resource (.*)\]\n$/.exec(part);
      whole += part.slice(0, rest?.index);
      uri = rest?.[1];
    }
    expect(whole).toBe((await kairos(own, ['dump', 'long-text', '--protocol'])).stdout);
    expect(size(await client.readResource({ uri: `kairos://run/${run_id}` }))).toBeLessThan(2 ** 20);
  } finally {
    await test.close();
    own.remove();
  }
});
