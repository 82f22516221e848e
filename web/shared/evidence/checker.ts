import type { CheckAnswer, CheckRequest } from './checked.ts';
import type { WatchAnswer, WatchRequest } from './log/watched.ts';
import workerUrl from './worker.ts?worker&url';

/** The part of Trusted Types that is used: not every browser has them. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/** The one policy that the server's allows: it lets our own worker's address through and nothing else. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('acuse', {
  createScriptURL(url) {
    if (url !== workerUrl) throw new TypeError('not the address of our worker');
    return url;
  },
});

/**
 * Verifies a bundle in this browser, in a worker of its own, so that the page stays quick meanwhile. Rejects
 * when the worker cannot be loaded, and when `signal` ends it.
 */
export function checkBundle(request: CheckRequest, signal?: AbortSignal): Promise<CheckAnswer> {
  return ask(request, signal);
}

/** Checks the operator's log, in the same worker; rejects as above. */
export function checkLog(request: WatchRequest, signal?: AbortSignal): Promise<WatchAnswer> {
  return ask(request, signal);
}

function ask<Answer>(request: CheckRequest | WatchRequest, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const address = policy === undefined ? workerUrl : policy.createScriptURL(workerUrl);
    const worker = new Worker(address, { type: 'module' });
    const settle = (done: () => void) => {
      worker.terminate();
      done();
    };
    worker.onmessage = ({ data }: MessageEvent<Answer>) => settle(() => resolve(data));
    worker.onerror = ({ message }) =>
      settle(() => reject(new Error(message || 'the verifier could not be loaded')));
    signal?.addEventListener('abort', () => settle(() => reject(signal.reason)));
    worker.postMessage(request);
  });
}
