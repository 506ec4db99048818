import { spawn } from 'node:child_process';
import { appendFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { redactValue } from '../base/json.ts';
import type { Notice } from '../run/notices.ts';
import { isSecretName } from './secrets/secret-values.ts';

/** Time limit of a receiver, in milliseconds. */
export const NOTIFY_LIMIT_MS = 10_000;
/** Notices that wait for a slow receiver; what comes after them is dropped and logged. */
const MOST_WAITING = 100;
const MOST_LOG_BYTES = 256 * 1024;
/** Failures are kept here, in the data folder. */
export const NOTIFY_LOG = 'notify.log';

interface NotifierOptions {
  /** Each a URL (http or https) or a shell command. */
  targets: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Folder of the log. */
  data: string;
  redact: (text: string) => string;
  now: () => number;
  /** A failure, in a sentence without the address. */
  onFailed: (message: string) => void;
  limitMs?: number;
}

/** Sends notices to the receivers of the user's configuration. */
export interface Notifier {
  /** Doesn't wait and never throws. */
  send(notice: Notice): void;
  /** Resolves when everything was delivered or given up, at most one time limit from now. */
  settled(): Promise<void>;
}

/** Each receiver gets one notice at a time, in order. A failure is logged, and nothing is repeated. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { targets, redact, limitMs = NOTIFY_LIMIT_MS } = options;
  const ended = new AbortController();
  const queues = targets.map((target, at) => ({
    target,
    // Several receivers of one host have the same name.
    name: targets.length === 1 ? nameOf(target) : `receiver ${at + 1}, ${nameOf(target)},`,
    waiting: 0,
    last: Promise.resolve(),
  }));

  async function deliver({ target, name }: Receiver, body: string, event: string): Promise<void> {
    if (ended.signal.aborted) return failed(event, name, 'kairos ended before its turn came');
    const limit = AbortSignal.timeout(limitMs);
    try {
      await send(target, body, { env: options.env, signal: AbortSignal.any([limit, ended.signal]) });
    } catch (error) {
      const late = limit.aborted || ended.signal.aborted;
      const reason = late ? `it did not finish in ${limitMs / 1000} s` : (error as Error).message;
      await failed(event, name, reason);
    }
  }

  async function failed(event: string, name: string, reason: string): Promise<void> {
    const message = redact(`The notification "${event}" to ${name} failed: ${reason}`);
    options.onFailed(message);
    const file = join(options.data, NOTIFY_LOG);
    try {
      const { size } = await stat(file).catch(() => ({ size: 0 }));
      if (size > MOST_LOG_BYTES) await rename(file, `${file}.1`);
      await appendFile(file, `${new Date(options.now()).toISOString()} ${message}\n`, { mode: 0o600 });
    } catch {
      // It was reported already.
    }
  }

  return {
    send(notice) {
      const body = JSON.stringify(redactValue(notice, redact));
      for (const queue of queues) {
        if (queue.waiting >= MOST_WAITING) {
          void failed(notice.event, queue.name, `${MOST_WAITING} others wait for it`);
          continue;
        }
        queue.waiting += 1;
        queue.last = queue.last
          .then(() => deliver(queue, body, notice.event))
          .finally(() => {
            queue.waiting -= 1;
          });
      }
    },
    async settled() {
      const end = setTimeout(() => ended.abort(), limitMs);
      await Promise.all(queues.map(({ last }) => last));
      clearTimeout(end);
    },
  };
}

type Receiver = { target: string; name: string };

/** How a receiver is named in messages: an address may hold a token in its path, a command in its arguments. */
export function nameOf(target: string): string {
  return isAddress(target) ? new URL(target).origin : (target.trim().split(/\s+/)[0] ?? '');
}

function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target);
}

type Sending = { env: NodeJS.ProcessEnv; signal: AbortSignal };

function send(target: string, body: string, sending: Sending): Promise<void> {
  return isAddress(target) ? post(target, body, sending) : run(target, body, sending);
}

async function post(url: string, body: string, { signal }: Sending): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal,
    });
  } catch (cause) {
    // The errors of fetch may repeat the address.
    throw new Error('it cannot be reached', { cause });
  }
  await response.body?.cancel();
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new Error(`it redirects (status ${status}), and kairos does not follow redirects`);
  if (!response.ok) throw new Error(`it returned status ${status}`);
}

/** Runs a command with the notice on its standard input, without variables of secret names. */
function run(command: string, body: string, { env, signal }: Sending): Promise<void> {
  const shown = Object.fromEntries(Object.entries(env).filter(([name]) => !isSecretName(name)));
  const isPosix = process.platform !== 'win32';
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      detached: isPosix,
      env: shown,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const end = () => {
      // The whole group: a shell may have started others.
      if (child.pid === undefined || child.exitCode !== null) return;
      try {
        if (isPosix) process.kill(-child.pid, 'SIGKILL');
        else child.kill();
      } catch {
        // It has ended.
      }
    };
    signal.addEventListener('abort', end, { once: true });
    const done = () => signal.removeEventListener('abort', end);
    child.once('error', () => {
      done();
      reject(new Error('it cannot be started'));
    });
    child.once('exit', (code, killed) => {
      done();
      if (code === 0) resolve();
      else reject(new Error(code === null ? `it was ended by ${killed}` : `it ended with ${code}`));
    });
    // The command may end without reading its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${body}\n`);
  });
}
