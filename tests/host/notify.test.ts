import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNotifier, NOTIFY_LOG } from '../../src/host/notify.ts';
import type { Notice } from '../../src/run/notices.ts';

const NOTICE: Notice = {
  kairos: 'event',
  v: 1,
  event: 'ended',
  at: '2026-01-15T12:00:00.000Z',
  text: 'The run of "Water hunter2 plants" ended: success.',
  run_id: 'run',
  space: 'default',
  protocol: { slug: 'water', title: 'Water hunter2 plants', digest: 'd'.repeat(64) },
  step: null,
  actor: 'ada',
  host: null,
  outcome: 'success',
  look: 'kairos runs show run',
};

let data: string;
let server: Server | null = null;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'kairos-notify-'));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
  rmSync(data, { recursive: true, force: true });
});

/** A receiver on this machine; returns its address with a token in the path. */
async function receiver(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => answer(request, response, body));
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/t0ken`;
}

/** A limit that is met on purpose. Every other is longer than a busy machine makes anything wait. */
const SHORT_MS = 500;

/** Sends notices and returns the failures. */
async function deliver(targets: string[], { count = 1, env = process.env, limitMs = 100_000 } = {}) {
  const failures: string[] = [];
  const notifier = createNotifier({
    targets,
    env,
    data,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    now: () => Date.parse(NOTICE.at),
    onFailed: (message) => failures.push(message),
    limitMs,
  });
  for (let at = 0; at < count; at += 1) notifier.send({ ...NOTICE, run_id: `run-${at}` });
  await notifier.settled();
  return failures;
}

const log = () => readFileSync(join(data, NOTIFY_LOG), 'utf8');

describe('a URL', () => {
  it('gets each event as JSON, in order and without secrets', async () => {
    const got: { method: string | undefined; type: string | undefined; body: Notice }[] = [];
    const url = await receiver(({ method, headers }, response, body) => {
      got.push({ method, type: headers['content-type'], body: JSON.parse(body) });
      response.writeHead(204).end();
    });
    expect(await deliver([url], { count: 3 })).toEqual([]);
    expect(got.map(({ body }) => body.run_id)).toEqual(['run-0', 'run-1', 'run-2']);
    expect(got[0]).toEqual({
      method: 'POST',
      type: 'application/json',
      body: {
        ...NOTICE,
        run_id: 'run-0',
        text: 'The run of "Water [redacted] plants" ended: success.',
        protocol: { ...NOTICE.protocol, title: 'Water [redacted] plants' },
      },
    });
    expect(existsSync(join(data, NOTIFY_LOG))).toBe(false);
  });

  it('that fails is logged without its path', async () => {
    const url = await receiver((_request, response) => response.writeHead(500).end('t0ken'));
    const [failure, ...others] = await deliver([url]);
    expect(others).toEqual([]);
    expect(failure).toMatch(
      /^The notification "ended" to http:\/\/127\.0\.0\.1:\d+ failed: it returned status 500$/,
    );
    expect(log()).toBe(`${NOTICE.at} ${failure}\n`);
  });

  it('has a number, because another receiver may have the same host', async () => {
    const url = await receiver((_request, response) => response.writeHead(500).end());
    const failures = await deliver([url, url]);
    expect(
      failures.map((text) => /receiver \d, http:\S+, failed/.exec(text)?.[0].slice(0, 10)).sort(),
    ).toEqual(['receiver 1', 'receiver 2']);
  });

  it('that sends elsewhere is not followed', async () => {
    const paths: (string | undefined)[] = [];
    const url = await receiver(({ url: path }, response) => {
      paths.push(path);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await deliver([url])).toEqual([
      expect.stringContaining('it redirects (status 307), and kairos does not follow redirects'),
    ]);
    expect(paths).toEqual(['/hook/t0ken']);
  });

  it('that is slow is given up at the time limit, and what waits behind it too', async () => {
    let asked = 0;
    const url = await receiver(() => {
      asked += 1;
    });
    const failures = await deliver([url], { count: 3, limitMs: SHORT_MS });
    expect(failures[0]).toContain('it did not finish in 0.5 s');
    expect(failures.slice(1)).toHaveLength(2);
    expect(asked).toBeLessThan(3);
  });

  it('that is absent fails, and another receiver gets the event all the same', async () => {
    const url = await receiver((_request, response) => response.writeHead(200).end());
    const { port } = new URL(url);
    server?.close();
    server = null;
    const file = join(data, 'got.json');
    const failures = await deliver([url, `cat > ${file}`]);
    expect(failures).toEqual([
      `The notification "ended" to receiver 1, http://127.0.0.1:${port}, failed: it cannot be reached`,
    ]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ event: 'ended', run_id: 'run-0' });
  });
});

describe('a command', () => {
  it('gets each event as a line', async () => {
    const file = join(data, 'lines');
    expect(await deliver([`cat >> ${file}`], { count: 2 })).toEqual([]);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line).run_id)).toEqual(['run-0', 'run-1']);
  });

  it('gets the event on standard input, and no variable of a secret name', async () => {
    const file = join(data, 'got');
    const env = { ...process.env, DEPLOY_TOKEN: 'abcdefgh1234', COLOUR: 'green' };
    expect(await deliver([`(cat; env) > ${file}`], { env })).toEqual([]);
    const got = readFileSync(file, 'utf8');
    expect(got).toContain('"event":"ended"');
    expect(got).toContain('COLOUR=green');
    expect(got).not.toContain('abcdefgh1234');
  });

  it.each([
    ['exit 3', 'it ended with 3'],
    ['kairos-no-such-program --token t0ken', 'it ended with 127'],
    ['kill -9 $$', 'it was ended by SIGKILL'],
  ])('that fails is logged by its first word: %s', async (command, reason) => {
    const [failure] = await deliver([command]);
    expect(failure).toBe(`The notification "ended" to ${command.split(' ')[0]} failed: ${reason}`);
    expect(log()).not.toContain('t0ken');
  });

  it('that hangs is ended with everything that it started', async () => {
    const file = join(data, 'pid');
    // On a busy machine the shell may not come as far as the file in the first of these times.
    for (let limitMs = SHORT_MS; !existsSync(file); limitMs *= 4) {
      const [failure] = await deliver([`sleep 600 & echo $! > ${file}.new; mv ${file}.new ${file}; wait`], {
        limitMs,
      });
      expect(failure).toContain(`it did not finish in ${limitMs / 1000} s`);
    }
    const pid = Number(readFileSync(file, 'utf8'));
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  });
});

/** A zombie that nobody has collected yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
