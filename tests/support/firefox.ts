import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's package `firefox-esr`, or another build named by KAIROS_TEST_FIREFOX. */
export const FIREFOX = process.env.KAIROS_TEST_FIREFOX ?? '/usr/bin/firefox-esr';

/** A Firefox without a window, driven by its own protocol (Marionette). */
export interface Firefox {
  goto(url: string): Promise<void>;
  /** The value of the body of a function in the page. */
  evaluate<T>(body: string, ...args: unknown[]): Promise<T>;
  /** Types into the element that a CSS selector finds; `\uE007` is Enter. */
  type(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Waits until the body of a function is true in the page. */
  until(body: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

/** How long the page may need until what a test waits for; a busy machine needs seconds. */
const PATIENCE_MS = 60_000;

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export async function launchFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'kairos-firefox-'));
  writeFileSync(
    join(profile, 'user.js'),
    [
      'user_pref("marionette.port", 0);',
      'user_pref("browser.shell.checkDefaultBrowser", false);',
      'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
      'user_pref("toolkit.telemetry.enabled", false);',
      'user_pref("app.update.disabledForTesting", true);',
      'user_pref("network.captive-portal-service.enabled", false);',
      'user_pref("network.connectivity-service.enabled", false);',
    ].join('\n'),
  );
  const child = spawn(FIREFOX, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
    env: { ...process.env, HOME: profile, MOZ_DISABLE_AUTO_SAFE_MODE: '1' },
  });
  const socket = await connected(child, join(profile, 'MarionetteActivePort'));
  const call = commands(socket);
  await call('WebDriver:NewSession', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  const find = async (selector: string) => {
    const found = (await call('WebDriver:FindElement', { using: 'css selector', value: selector })) as {
      value: Record<string, string>;
    };
    return found.value[ELEMENT] ?? '';
  };
  const evaluate = async <T>(body: string, ...args: unknown[]): Promise<T> =>
    ((await call('WebDriver:ExecuteScript', { script: body, args })) as { value: T }).value;
  return {
    goto: async (url) => void (await call('WebDriver:Navigate', { url })),
    evaluate,
    type: async (selector, text) =>
      void (await call('WebDriver:ElementSendKeys', { id: await find(selector), text })),
    click: async (selector) => void (await call('WebDriver:ElementClick', { id: await find(selector) })),
    async until(body) {
      const end = Date.now() + PATIENCE_MS;
      while (!(await evaluate<boolean>(body))) {
        if (Date.now() > end) {
          const shown = await evaluate<string>('return document.body.innerText.slice(0, 2000)');
          throw new Error(`In Firefox this never became true: ${body}\n${shown}`);
        }
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    screenshot: async () =>
      Buffer.from(
        ((await call('WebDriver:TakeScreenshot', { full: true })) as { value: string }).value,
        'base64',
      ),
    async close() {
      socket.destroy();
      if (child.exitCode === null) {
        const gone = once(child, 'exit');
        child.kill();
        await gone;
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Firefox writes the port that it has chosen into a file of its profile. */
async function connected(child: ChildProcess, portFile: string): Promise<Socket> {
  while (!existsSync(portFile) || readFileSync(portFile, 'utf8') === '') {
    if (child.exitCode !== null) throw new Error(`Firefox ended with ${child.exitCode}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  const socket = connect(Number(readFileSync(portFile, 'utf8')), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Messages are `LENGTH:JSON`: the greeting, then `[1, id, error, result]` for each `[0, id, name, parameters]`. */
function commands(socket: Socket): (name: string, parameters: object) => Promise<unknown> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let received = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const colon = received.indexOf(':');
      const length = Number(received.subarray(0, colon).toString());
      if (colon === -1 || received.length < colon + 1 + length) return;
      const message = JSON.parse(received.subarray(colon + 1, colon + 1 + length).toString()) as unknown;
      received = received.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message as [number, number, { message: string } | null, unknown];
      const call = waiting.get(id);
      waiting.delete(id);
      if (error === null) call?.resolve(result);
      else call?.reject(new Error(error.message));
    }
  });
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      const text = JSON.stringify([0, last, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}
