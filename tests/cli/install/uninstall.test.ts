import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { INSTALL_CLIENTS } from '../../../src/cli/commands/install/clients.ts';
import { gatewayChange } from '../../../src/cli/commands/install/gateways-config.ts';
import { hookChange, hookCommandLine } from '../../../src/cli/commands/install/hold.ts';
import { type ConfigChange, changeConfig, serverChange } from '../../../src/cli/commands/install/install.ts';
import { runs } from '../../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'uninstall-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const client = INSTALL_CLIENTS.gemini;
const start = { command: '/bin/node', args: ['/x/kairos.js', 'serve'] };
const gateway = { command: '/bin/node', args: ['/x/kairos.js', 'gateway'] };
const hook = hookCommandLine(['/bin/node', '/x/kairos.js', 'hook', 'gemini']);
/** Each part of an installation: its change, and its removal. */
const PARTS: Record<string, (file: string, isAdded: boolean) => ConfigChange> = {
  server: (file, isAdded) => serverChange({ client, file, name: 'kairos', start: isAdded ? start : null }),
  hooks: (file, isAdded) => hookChange('gemini', file, isAdded ? hook : null),
  gateways: (file, isAdded) =>
    gatewayChange({ client, file, names: null, start: isAdded ? gateway : null }).change,
};

let count = 0;
/** Installs parts into a file, lets the user change it, and removes them in an order. */
async function roundTrip(
  text: string,
  added: string[],
  removed: string[],
  change: (text: string) => string,
): Promise<string> {
  count += 1;
  const file = join(folder, `${count}.json`);
  writeFileSync(file, text);
  let now = count * 1000;
  const made = async (part: string, isAdded: boolean) => {
    now += 1000;
    await changeConfig(PARTS[part]!(file, isAdded), now);
  };
  for (const part of added) await made(part, true);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  for (const part of removed) await made(part, false);
  return readFileSync(file, 'utf8');
}

const key = fc.constantFrom('a', 'theme', 'ui', 'b c');
const own = fc
  .record({
    settings: fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, noNullPrototype: true }),
    event: fc.constantFrom('BeforeTool', 'AfterAgent', 'Other', null),
    server: fc.constantFrom(
      null,
      { command: 'npx', args: ['-y', 'server'] },
      { httpUrl: 'https://example.com/mcp' },
    ),
    isLast: fc.boolean(),
  })
  .map(({ settings, event, server, isLast }) => ({
    ...(isLast ? {} : settings),
    ...(event === null ? {} : { hooks: { [event]: [{ hooks: [{ type: 'command', command: 'mine' }] }] } }),
    ...(server === null ? {} : { mcpServers: { git: server } }),
    ...(isLast ? settings : {}),
  }));
const layout = fc.constantFrom<string | number>(0, 1, 2, 4, '\t');
const end = fc.constantFrom('', '\n');
const order = fc.shuffledSubarray(Object.keys(PARTS), { minLength: 1 });

/** A line for each key, with all of its value, and no space inside of brackets. */
function lineByKey(content: object): string {
  const lines = Object.entries(content).map(([key, value]) => {
    const inOneLine = JSON.stringify(value, null, 1)
      .replaceAll(/\n */g, ' ')
      .replaceAll(/\[ | \]/g, (bracket) => bracket.trim());
    return `   ${JSON.stringify(key)}: ${inOneLine}`;
  });
  return `{\n${lines.join(',\n')}\n}`;
}

describe('an uninstall', () => {
  it('restores each byte of an unchanged file', async () => {
    await fc.assert(
      fc.asyncProperty(
        own,
        layout,
        end,
        order,
        fc.boolean(),
        async (content, indent, last, parts, isMixed) => {
          const text = `${isMixed ? lineByKey(content) : JSON.stringify(content, null, indent)}${last}`;
          expect(await roundTrip(text, parts, parts.toReversed(), (same) => same)).toBe(text);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('keeps the layout that the user has given to the file since', async () => {
    await fc.assert(
      fc.asyncProperty(
        own,
        layout,
        layout,
        end,
        order,
        order,
        async (content, before, after, last, parts, gone) => {
          const removed = [...new Set([...gone, ...parts])];
          // The entry of a server over HTTP comes back with its old text.
          fc.pre(!JSON.stringify(content).includes('httpUrl'));
          const reformatted = (text: string) => `${JSON.stringify(JSON.parse(text), null, after)}${last}`;
          const left = await roundTrip(
            `${JSON.stringify(content, null, before)}\n`,
            parts,
            removed,
            reformatted,
          );
          const bare = JSON.stringify(JSON.parse(left), null, after);
          expect(JSON.parse(left)).toEqual(content);
          expect(left).toBe(`${bare}${last}`);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('keeps what the user has changed, in its layout', async () => {
    await fc.assert(
      fc.asyncProperty(
        own,
        layout,
        order,
        fc.jsonValue({ maxDepth: 2 }),
        async (content, indent, parts, value) => {
          const text = JSON.stringify(content, null, indent);
          const edited = (installed: string) =>
            JSON.stringify({ mine: value, ...JSON.parse(installed) }, null, indent);
          const left = await roundTrip(text, parts, parts, edited);
          expect(JSON.parse(left)).toEqual(JSON.parse(JSON.stringify({ mine: value, ...content })));
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('keeps a layout that is between the tokens alone', async () => {
    const text = '{\n  "theme": "dark",\n  "ui": [1, 2]\n}\n';
    const spaced = (installed: string) =>
      installed.replace('[1, 2]', '[ 1,2 ]').replace('"dark",', '"dark" , // mine');
    for (const part of Object.keys(PARTS))
      expect(await roundTrip(text, [part], [part], spaced)).toBe(spaced(text));
  });
});
