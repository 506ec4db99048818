import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, makeHome, startKairos } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** What each test server begins with: it writes its pid, notes each line and each signal, and repeats the lines. */
const BEGIN = `
import { appendFileSync, writeFileSync } from 'node:fs';
writeFileSync('pid', String(process.pid));
const note = (text) => appendFileSync('notes', text + '\\n');
const echo = () => process.stdin.on('data', (chunk) => process.stdout.write(chunk)).on('end', () => note('end'));
`;

/** The real program in front of a server with this body. */
function start(body: string) {
  writeFileSync(join(home.work, 'server.mjs'), BEGIN + body);
  const child = startKairos(home, [
    'gateway',
    '--',
    process.execPath,
    'server.mjs',
  ]) as ChildProcessWithoutNullStreams;
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += chunk));
  const closed = once(child, 'close');
  const output = () => Buffer.concat(chunks);
  return {
    child,
    output,
    errors: () => errors,
    async until(fits: (text: string) => boolean): Promise<void> {
      while (!fits(output().toString('utf8'))) await delay(10);
    },
    async end(): Promise<[code: number | null, signal: string | null]> {
      return (await closed) as [number | null, string | null];
    },
  };
}

const notes = () =>
  existsSync(join(home.work, 'notes')) ? readFileSync(join(home.work, 'notes'), 'utf8') : '';
async function isGone(): Promise<boolean> {
  const pid = Number(readFileSync(join(home.work, 'pid'), 'utf8'));
  for (let turn = 0; turn < 500; turn += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await delay(10);
  }
  return false;
}

describe('kairos gateway as a program', () => {
  it('passes large messages in pieces, unchanged', async () => {
    const { child, output, end } = start('echo();');
    const large = Buffer.from(`{"jsonrpc":"2.0","method":"x","params":"${'ä😀'.repeat(2 << 20)}"}\r\n`);
    const rest = Buffer.from('{"jsonrpc":"2.0","method":"y"}');
    child.stdin.end(Buffer.concat([large, rest]));
    expect(await end()).toEqual([0, null]);
    expect(output().equals(Buffer.concat([large, rest]))).toBe(true);
  });

  it('ends when its input ends, after the answers of the server', async () => {
    const { child, output, end } = start(`
      process.stdin.resume().on('end', () => setTimeout(() => process.stdout.write('late\\n'), 300));
    `);
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"x"}\n');
    expect(await end()).toEqual([0, null]);
    expect(output().toString()).toBe('late\n');
  });

  it('ends a server that ignores the end of its input and SIGTERM', async () => {
    const { child, until, end } = start(`
      for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => note(name));
      process.stdin.resume();
      setInterval(() => {}, 1000);
      process.stdout.write('up\\n');
    `);
    await until((text) => text.includes('up'));
    child.stdin.end();
    expect(await end()).toEqual([0, null]);
    expect(notes()).toContain('SIGTERM');
    expect(await isGone()).toBe(true);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with its server at %s', async (signal) => {
    const { child, until, end } = start(`echo(); process.stdout.write('up\\n');`);
    await until((text) => text.includes('up'));
    child.kill(signal);
    expect(await end()).toEqual([0, null]);
    expect(await isGone()).toBe(true);
  });

  it('ends when the server ends, or closes its output', async () => {
    const dying = start(`process.stdout.write('bye'); process.exitCode = 3;`);
    expect(await dying.end()).toEqual([0, null]);
    expect(dying.output().toString()).toBe('bye');
    const mute = start(`
      import { closeSync } from 'node:fs';
      closeSync(1);
      setInterval(() => {}, 1000);
    `);
    expect(await mute.end()).toEqual([0, null]);
    expect(await isGone()).toBe(true);
  });

  it('ends although a program that the server started has its output', async () => {
    const { child, until, end } = start(`
      import { spawn } from 'node:child_process';
      const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
      writeFileSync('pid', String(pid));
      echo();
      process.stdout.write('up\\n');
    `);
    await until((text) => text.includes('up'));
    child.stdin.end();
    expect(await end()).toEqual([0, null]);
    process.kill(Number(readFileSync(join(home.work, 'pid'), 'utf8')));
  });

  it('ends when the client no longer reads', async () => {
    const { child, until, end } = start(`setInterval(() => process.stdout.write('up\\n'), 20); echo();`);
    await until((text) => text.includes('up'));
    child.stdout.destroy();
    expect(await end()).toEqual([0, null]);
    expect(await isGone()).toBe(true);
  });

  it('ends with a reason at a line without an end', async () => {
    const { end, errors } = start(`
      const piece = 'x'.repeat(16 << 20);
      const write = () => process.stdout.write(piece, write);
      process.stdout.on('error', () => process.exit(0));
      write();
    `);
    expect(await end()).toEqual([1, null]);
    expect(errors()).toMatch(/a line of more than 256 MiB/);
    expect(await isGone()).toBe(true);
  });

  it('records the end of a call that a signal ends', async () => {
    const block = {
      proof_of_work: {
        type: 'mcp',
        mcp: { server: 'git', tool_name: 'merge', arguments: {} },
        assurance: 'observed',
      },
    };
    writeFileSync(
      join(home.work, 'merge.md'),
      `---\nslug: merge\n---\n# Merge a change\n\n## Merge it\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`,
    );
    expect(await kairos(home, ['mint', 'merge.md'], { prepares: true })).toMatchObject({ code: 0 });
    const { run_id: runId } = JSON.parse(
      (await kairos(home, ['begin', 'merge', '--json'], { prepares: true })).stdout,
    );
    const { child, until, end } = start(`process.stdin.on('data', () => process.stdout.write('got\\n'));`);
    child.stdin.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"merge","arguments":{}}}\n',
    );
    await until((text) => text.includes('got'));
    child.kill('SIGTERM');
    expect(await end()).toEqual([0, null]);
    // A step without a proposal: nothing was begun on record, and nothing is proven.
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    expect(stdout).not.toMatch(/command\.started|call\.reported/);
  });
});
