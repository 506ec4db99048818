import { describe, expect, it } from 'vitest';
import { createActivity } from '../../../src/mcp/server/open-requests.ts';

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('the calls under way', () => {
  it('are waited for, failed ones and those that begin meanwhile included', async () => {
    const activity = createActivity();
    expect(await activity.idle(1000)).toBe(true);
    const [first, second] = [deferred<string>(), deferred<string>()];
    const kept = activity.track(first.promise).catch((error: Error) => error.message);
    expect(activity.count).toBe(1);
    const idle = activity.idle(10_000);
    const later = activity.track(second.promise);
    first.reject(new Error('failed'));
    expect(await kept).toBe('failed');
    expect(activity.count).toBe(1);
    second.resolve('done');
    expect(await later).toBe('done');
    expect(await idle).toBe(true);
    expect(activity.count).toBe(0);
  });

  it('are not waited for longer than the limit', async () => {
    const activity = createActivity();
    void activity.track(new Promise(() => undefined));
    expect(await activity.idle(5)).toBe(false);
  });
});
