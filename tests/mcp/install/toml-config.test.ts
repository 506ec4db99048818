import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editToml } from '../../../src/mcp/install/toml-config.ts';

const ENTRY = { command: 'kairos', args: ['serve', '--space', 'a "team"\\'] };
const BLOCK = `# >>> kairos install: kairos
[mcp_servers.kairos]
command = "kairos"
args = ["serve", "--space", "a \\"team\\"\\\\"]
# <<< kairos install: kairos
`;
const edit = (text: string, entry: Record<string, unknown> | null = ENTRY) =>
  editToml(text, ['mcp_servers', 'kairos'], entry, 'config.toml');

describe('a TOML configuration', () => {
  it('gets a marked table at its end, and loses nothing else', () => {
    const before = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n';
    const after = `${before}\n${BLOCK}`;
    expect(edit(before)).toBe(after);
    expect(edit(after)).toBe(after);
    expect(edit(after, null)).toBe(before);
    expect(edit(`${after}\n[later]\na = 1\n`, null)).toBe(`${before}\n[later]\na = 1\n`);
    expect(edit('')).toBe(BLOCK);
  });

  it('replaces its own table where it stands', () => {
    const after = edit(`a = 1\n\n${BLOCK}\n[later]\nb = 2\n`, { command: 'other', args: [] });
    expect(after).toBe(
      'a = 1\n\n# >>> kairos install: kairos\n[mcp_servers.kairos]\ncommand = "other"\nargs = []\n# <<< kairos install: kairos\n\n[later]\nb = 2\n',
    );
  });

  it.each([
    '[mcp_servers.kairos]\ncommand = "mine"\n',
    ' [ mcp_servers . "kairos" ]\n',
    '[mcp_servers.kairos.env]\nA = "b"\n',
    'mcp_servers.kairos.command = "mine"\n',
    'mcp_servers = { kairos = { command = "mine" } }\n',
  ])('is left alone where somebody else wrote the server: %j', (text) => {
    expect(() => edit(text)).toThrow(/did not write/);
  });

  it('is left alone when a mark lost its other half', () => {
    expect(() => edit('# >>> kairos install: kairos\na = 1\n')).toThrow(/belong together/);
  });

  it('is as before when the table is taken out again, whatever stands in it', () => {
    const line = fc.oneof(
      fc.constantFrom('', '# a comment', '[table]', '[[array]]', 'text = """', '"""', 'k = [', ']'),
      fc.string({ maxLength: 12 }).filter((text) => !/[\r\n]/.test(text) && !text.includes('mcp_servers')),
    );
    const eols = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), eols, (lines, eol) => {
        const before = lines.length === 0 ? '' : `${lines.join(eol).trimEnd()}${eol}`;
        const normal = before.trim() === '' ? '' : before;
        expect(edit(edit(normal), null)).toBe(normal);
        expect(edit(edit(normal))).toBe(edit(normal));
      }),
      { numRuns: 200 },
    );
  });
});
