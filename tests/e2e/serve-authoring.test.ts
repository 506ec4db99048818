import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SearchOutput } from '../../src/operations/search.ts';
import type { UpdateOutput } from '../../src/operations/update.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { overStdio, structured, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { walkLiterally } from '../support/walker.ts';

/** What a server says to do next is there to be done, by a client that has nothing but its tools. */
let home: CliHome;
let client: TestClient;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await client.close();
  home.remove();
});

const CREATE = 'kairos://mem/00000000-0000-0000-0000-000000002001';

async function mint(name: string, text: string): Promise<void> {
  writeFileSync(join(home.work, name), text);
  expect(await kairos(home, ['mint', '--force', name], { prepares: true })).toMatchObject({ code: 0 });
}

describe('over MCP alone', () => {
  it('"Create a protocol" runs to its end without a shell and without a file', async () => {
    client = await overStdio('sdk-1', home);
    const asked = new Set<string>();
    const { answers } = await walkLiterally(toolsOf(client), CREATE, {
      convention: 'as-told',
      solve: ({ type, user_input }, call) => {
        asked.add(type);
        if (type === 'user_input')
          return { type, user_input: { confirmation: user_input?.choices?.[0] ?? 'Yes.' } };
        const text = `Account number ${call}: whoever is up first feeds the cat, once; the bowl, the food and the note on the door each became a step, and the one about the note asks a person because anybody could claim it.`;
        return { type: 'comment', comment: { text } };
      },
    });
    expect(answers.at(-1)).toMatchObject({ next_action: null, protocol_status: 'completed' });
    expect(answers.filter(({ error_code }) => error_code != null)).toEqual([]);
    expect([...asked].sort()).toEqual(['comment', 'user_input']);
  });

  it('a read-only server does not offer what is missing', async () => {
    client = await overStdio('sdk-2', home, ['--read-only']);
    const found = structured<SearchOutput>(await client.call('kairos_search', { query: 'qwxz vbnm' }));
    expect(found).toMatchObject({
      message: 'No protocol matches. Search again with several other phrasings in one query (a | b | c).',
      choices: [{ role: 'refine' }],
    });
    const get = client.client.getPrompt({ name: 'author_protocol', arguments: { goal: 'Feed the cat' } });
    await expect(get).rejects.toThrow('Unknown prompt: author_protocol');
  });

  it('names the call that comes next, and what was meant', async () => {
    await mint('one.md', protocolOf(['shell', 'none'], 'Feed the cat'));
    client = await overStdio('sdk-1', home);
    const text = async (name: string, args: Record<string, unknown>) => {
      const { isError, content } = await client.call(name, args);
      return isError ? content[0]!.text : 'no error';
    };
    expect(await text('kairos_begin', { key: 'no-such' })).toBe(
      'NOT_FOUND: no protocol has the slug "no-such" in space default\nLook for it with kairos_search.',
    );
    expect(await text('kairos_begin', { ky: 'feed-the-cat' })).toBe(
      'INVALID_INPUT: there is no field "ky"; did you mean key?\nFields of the call: uri, key, inputs, resume.',
    );
    const begun = structured<RunFields>(await client.call('kairos_begin', { key: 'feed-the-cat' }));
    const { uri } = begun.current_step!;
    const changed = `Do part 1.\n\n\`\`\`json\n${JSON.stringify({
      proof_of_work: { type: 'shell', shell: { cmd: 'make other', timeout_seconds: 30 } },
    })}\n\`\`\`\n`;
    const refused = await client.call('kairos_update', { uris: [uri], markdown_doc: [changed] });
    expect(structured<UpdateOutput>(refused).results[0]!.message).toBe(
      'READ_ONLY: this change is rejected: the command of step 1 changed; kairos cannot decide whether it proves as much. A human can make it on the command line, or start the server with --allow-weaken.',
    );
    await client.close();
    client = await overStdio('sdk-1', home, ['--require-trust']);
    expect(await text('kairos_begin', { uri })).toContain('trusts it with: kairos trust feed-the-cat');
  });
});

describe('prompts', () => {
  const prompt = async (name: string, args: Record<string, string>) => {
    const { messages } = (await client.client.getPrompt({ name, arguments: args })) as {
      messages: { content: { text: string } }[];
    };
    return messages[0]!.content.text;
  };

  it('start a protocol by its title too, and report which slugs share one', async () => {
    await mint('one.md', protocolOf(['comment'], 'Feed the cat'));
    client = await overStdio('sdk-2', home);
    expect(await prompt('start_protocol', { name: 'FEED the cat' })).toContain('"feed-the-cat"');
    await mint('two.md', `---\nslug: feed-the-other\n---\n${protocolOf(['shell'], 'Feed the cat')}`);
    await expect(prompt('start_protocol', { name: 'Feed the Cat' })).rejects.toThrow(
      /2 protocols have the title "Feed the Cat"\s+Name one by its slug: feed-the-\w+, feed-the-\w+\./,
    );
    // Clients split what is typed at blanks.
    expect(await prompt('start_protocol', { name: 'feed', context: 'the dog' })).toContain(
      'Find the kairos protocol for this: feed the dog\n\nCall kairos_search',
    );
  });

  it('count an unknown kind of proof as a part of the goal', async () => {
    client = await overStdio('sdk-2', home);
    const text = await prompt('author_protocol', { goal: 'deploy', proof: 'the', tag: 'app' });
    expect(text).toContain('Write a kairos protocol for this goal: deploy the app\n');
    expect(text).not.toContain('of type');
    expect(await prompt('author_protocol', { goal: 'Feed the cat', proof: 'mcp' })).toContain('of type mcp');
  });
});
