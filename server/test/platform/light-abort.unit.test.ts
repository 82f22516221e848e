import { expect, test } from 'vitest';
import { LightAbort } from '../../src/platform/light-abort.ts';

/** The behaviour of AbortController, and of ours. */
const KINDS = [
  { name: 'AbortController', make: () => new AbortController() },
  { name: 'LightAbort', make: () => new LightAbort() },
];

for (const { name, make } of KINDS) {
  test(`${name}: each listener is called once, in order, with the reason known`, () => {
    const abort = make();
    const reason = new Error('the lease was lost');
    const heard: unknown[] = [];
    abort.signal.addEventListener('abort', () => heard.push(['first', abort.signal.reason]), { once: true });
    abort.signal.addEventListener('abort', () => heard.push(['second', abort.signal.aborted]), {
      once: true,
    });
    expect(abort.signal.aborted).toBe(false);
    abort.abort(reason);
    abort.abort(new Error('another'));
    expect(heard).toEqual([
      ['first', reason],
      ['second', true],
    ]);
    expect(abort.signal.reason).toBe(reason);
  });

  test(`${name}: a listener that was removed, or comes too late, is not called`, () => {
    const abort = make();
    let calls = 0;
    const listener = () => calls++;
    abort.signal.addEventListener('abort', listener, { once: true });
    abort.signal.removeEventListener('abort', listener);
    abort.signal.removeEventListener('abort', listener);
    abort.abort(new Error('over'));
    abort.signal.addEventListener('abort', listener, { once: true });
    expect(calls).toBe(0);
  });

  test(`${name}: a listener that removes another one while it is called`, () => {
    const abort = make();
    const heard: string[] = [];
    const second = () => heard.push('second');
    abort.signal.addEventListener('abort', () => {
      heard.push('first');
      abort.signal.removeEventListener('abort', second);
      abort.signal.addEventListener('abort', () => heard.push('late'), { once: true });
    });
    abort.signal.addEventListener('abort', second, { once: true });
    abort.abort(new Error('over'));
    expect(heard).toEqual(['first']);
  });
}
