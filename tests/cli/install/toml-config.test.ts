import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { editToml } from '../../../src/cli/commands/install/toml-config.ts';
import { runs } from '../../support/thorough.ts';

const ENTRY = { command: 'kairos', args: ['serve', '--space', 'a "team"\\'] };
const ARGS = 'args = ["serve", "--space", "a \\"team\\"\\\\"]';
const BLOCK = `# >>> kairos install: kairos
[mcp_servers.kairos]
command = "kairos"
${ARGS}
# <<< kairos install: kairos
`;
const edit = (text: string, entry: Record<string, unknown> | null = ENTRY) =>
  editToml(text, { file: 'config.toml', key: 'mcp_servers', name: 'kairos', entry, once: [] });

describe('a TOML configuration', () => {
  it('gets a marked table at its end, and loses nothing else', () => {
    const before = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n';
    const after = `${before}\n${BLOCK}`;
    expect(edit(before)).toBe(after);
    expect(edit(after)).toBe(after);
    expect(edit(after, null)).toBe(before);
    expect(edit(`${after}\n[later]\na = 1\n`, null)).toBe(`${before}\n[later]\na = 1\n`);
    expect(edit('')).toBe(BLOCK);
    expect(edit('a = 1')).toBe(`a = 1\n\n${BLOCK}`);
  });

  it('changes only its own values in an existing table', () => {
    const before = `a = 1\r
# >>> kairos install: kairos
[mcp_servers.kairos] # mine
command = "/old/kairos" # keep me
startup_timeout_sec = 20
args = [
  "serve", # first
]

# of the server
[mcp_servers.kairos.env]
KAIROS_STORE = '/my/store.db'
# <<< kairos install: kairos

[later]
b = 2
`;
    const after = before
      .replace('/old/kairos', 'kairos')
      .replace('args = [\n  "serve", # first\n]', () => ARGS);
    expect(edit(before)).toBe(after);
    expect(edit(after)).toBe(after);
    expect(edit(after, null)).toBe('a = 1\r\n\n[later]\nb = 2\n');
  });

  it('adds what a table lacks below its header', () => {
    expect(edit('[mcp_servers."kairos"] # x\r\nenv.A = "b"\r\n', { command: 'kairos' })).toBe(
      '[mcp_servers."kairos"] # x\r\ncommand = "kairos"\r\nenv.A = "b"\r\n',
    );
    expect(edit('[mcp_servers.kairos]', { command: 'kairos' })).toBe(
      '[mcp_servers.kairos]\ncommand = "kairos"',
    );
    expect(edit('# >>> kairos install: kairos\n# <<< kairos install: kairos\n')).toBe(BLOCK);
  });

  it.each([
    ['[mcp_servers\nfoo', /must be on the same line in line 2/],
    [`a = ${'['.repeat(9000)}${']'.repeat(9000)}\n`, /nested too deeply/],
    ['a = 1\na = 2\n', /in line 2/],
    ['mcp_servers = { other = {} }\n', /line 1 writes "mcp_servers" as an inline table/],
    ['mcp_servers = "x"\n', /"mcp_servers" is not a table/],
    ['[[mcp_servers.kairos]]\n', /"kairos" is not a table/],
    ['[mcp_servers]\n\nkairos = { command = "mine" }\n', /line 3 writes "kairos" inline or by dotted keys/],
    ['mcp_servers.kairos.command = "mine"\n', /line 1 writes "kairos" inline or by dotted keys/],
    ['[mcp_servers.kairos]\nurl = "http://127.0.0.1:1/mcp"\n', /a server with a "url"/],
    ['[mcp_servers.kairos]\nargs.x = 1\n', /the entry has no place in it: .* in line 4/],
  ])('is left alone, with what is true of it: %j', (text, reason) => {
    expect(() => edit(text)).toThrow(reason);
  });

  it.each([
    ['# a\n[mcp_servers.kairos]\ncommand = "mine"\n# b\n[later]\n', '# a\n# b\n[later]\n'],
    ['[mcp_servers.kairos]\na = 1 # x\n\n# y\n[mcp_servers.kairos.env]\nb = """\n[z]"""', ''],
    ['a = 1\n\n[mcp_servers]\no.a = 1\nkairos.a = 1\n', 'a = 1\n\n[mcp_servers]\no.a = 1\n'],
    ['mcp_servers.kairos = { a = 1 }\nb = 1\n', 'b = 1\n'],
    ['[mcp_servers.kairos2]\n', '[mcp_servers.kairos2]\n'],
    ['mcp_servers = { other = {} }\n', 'mcp_servers = { other = {} }\n'],
    [BLOCK.replace('# <<<', '\n[mine] # x\na = 1\n# <<<'), '[mine] # x\na = 1\n'],
  ])('removes a server of any author, and nothing else: %j', (before, after) => {
    expect(edit(before, null)).toBe(after);
  });

  it('keeps an inline table that has the server', () => {
    expect(() => edit('mcp_servers = { kairos = {} }\n', null)).toThrow(/inline table/);
  });

  it.each([
    '# >>> kairos install: kairos\na = 1\n',
    '# <<< kairos install: kairos\n',
    `${BLOCK}# >>> kairos install: kairos`,
    '# <<< kairos install: kairos\n# >>> kairos install: kairos\n',
  ])('is left alone when a mark lost its other half: %j', (text) => {
    expect(() => edit(text)).toThrow(/belong together/);
    expect(() => edit(text, null)).toThrow(/belong together/);
  });

  it('restores the file when the table is removed, for any content', () => {
    const line = fc.oneof(
      fc.constantFrom('', '# a comment', '[[array]]', '[mcp_servers]', '[mcp_servers.kairos.env]'),
      fc.constantFrom('[mcp_servers.kairos]', 'command = "x"', 'kairos.args = []', "['mcp_servers'.other]"),
      fc.string({ maxLength: 12 }).filter((text) => !/[\r\n]/.test(text)),
    );
    const value = fc.constantFrom(
      '= """\n[mcp_servers.kairos]\n"""""',
      "= '''\n# >>> kairos install: kairos'''",
      '= [ # ]\n"]" ]',
      '= { a = "}" } # x',
      '."]=".b = "\\""',
    );
    const keyed = value.map((text) => (at: number) => `k${at} ${text}`);
    const lines = fc.array(fc.oneof({ weight: 2, arbitrary: line }, keyed), { maxLength: 6 });
    let valid = 0;
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n'), (list, eol) => {
        const text = list.map((part, at) => (typeof part === 'string' ? part : part(at))).join('\n');
        const before = text.trim() === '' ? '' : text.trimEnd().replaceAll('\n', eol) + eol;
        const held = contents(before);
        const had = held?.mcp_servers as Record<string, Record<string, unknown>> | undefined;
        const after = attempt(before);
        if (after === null) {
          expect(held === null || had !== undefined).toBe(true);
          return;
        }
        valid += 1;
        expect(contents(after)).toEqual({
          ...held,
          mcp_servers: { ...had, kairos: { ...had?.kairos, ...ENTRY } },
        });
        expect(edit(after)).toBe(after);
        if (had?.kairos === undefined) expect(edit(after, null)).toBe(before);
        else expect(contents(edit(after, null))?.mcp_servers ?? {}).not.toHaveProperty('kairos');
      }),
      { numRuns: runs(300) },
    );
    expect(valid).toBeGreaterThan(runs(300) / 6);
  });
});

/** Null: refused as one does who leaves the file alone. */
function attempt(text: string): string | null {
  try {
    return edit(text);
  } catch (error) {
    expect(String(error)).toContain('was not changed');
    return null;
  }
}

function contents(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(JSON.stringify(parse(text)));
  } catch {
    return null;
  }
}
