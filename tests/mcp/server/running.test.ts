import { describe, expect, it } from 'vitest';
import { runningCommands, wait } from '../../../src/mcp/server/wait.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';

const ANSWER: RunFields = { must_obey: true, next_action: 'call kairos_next with kairos://mem/x' };

describe('the commands that a server runs', () => {
  it('are on the list from the call on until they have ended, however they end', async () => {
    const commands = runningCommands();
    let end = (_: RunFields) => {};
    const first = commands.run('a', 2, () => new Promise((resolve) => (end = resolve)));
    expect(commands.station('a')).toBe(2);
    expect(commands.answer('a', 2)).toBe(first);
    expect([commands.answer('a', 1), commands.station('b')]).toEqual([null, null]);
    await Promise.resolve();
    end(ANSWER);
    expect(await first).toBe(ANSWER);
    expect(commands.station('a')).toBeNull();
    await expect(commands.run('a', 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(commands.station('a')).toBeNull();
  });

  it('stay listed when one of an earlier station ends late', async () => {
    const commands = runningCommands();
    const first = commands.run('a', 1, async () => ANSWER);
    const second = commands.run('a', 2, () => new Promise(() => {}));
    await first;
    expect(commands.answer('a', 2)).toBe(second);
  });
});

describe('waiting for a command of another call', () => {
  it('returns its answer, and reports that it runs', async () => {
    const told: string[] = [];
    const progress = async (message: string) => void told.push(message);
    const { signal } = new AbortController();
    expect(await wait({ signal, progress }, 4, Promise.resolve(ANSWER))).toBe(ANSWER);
    expect(told).toEqual(['Step 4: the command runs.']);
  });

  it('can be given up, before it begins and after', async () => {
    const controller = new AbortController();
    const call = { signal: controller.signal, progress: async () => {} };
    const waiting = wait(call, 1, new Promise(() => {}));
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(wait(call, 1, Promise.resolve(ANSWER))).rejects.toThrow('enough');
  });
});
