// One client for each different text of options. What its hook and its sleep record goes to the request under
// way in the same asynchronous context.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Acuse } from '@acuse/client';

const clients = new Map();
const current = new AsyncLocalStorage();

export function clientFor(options, record) {
  current.enterWith(record);
  const text = JSON.stringify(options);
  if (!clients.has(text)) clients.set(text, new Acuse(optionsOf(options)));
  return clients.get(text);
}

function optionsOf(options) {
  const given = (value) => value ?? undefined;
  return {
    apiKey: given(options.api_key),
    baseUrl: given(options.base_url),
    appInfo: given(options.app_info),
    caFile: given(options.ca_file),
    proxy: given(options.proxy),
    allowInsecure: given(options.allow_insecure),
    maxRetries: given(options.max_retries),
    connectTimeoutMs: given(options.connect_timeout_ms),
    timeoutMs: given(options.timeout_ms),
    deadlineMs: given(options.deadline_ms),
    random: () => options.random ?? 0,
    ...(typeof options.now_ms === 'number' && { clock: () => options.now_ms }),
    onAttempt(report) {
      current.getStore()?.attempts.push({
        operation: report.operation,
        attempt: report.attempt,
        status: report.status,
        code: report.code,
        request_id: report.requestId,
        duration_ms: report.durationMs,
        retry_in_ms: report.retryInMs,
        error: report.error,
      });
      if (options.hook === 'throw') throw new Error('of the hook');
    },
    async sleep(ms, signal) {
      current.getStore()?.sleeps.push(ms);
      if (options.sleep === 'real') await wait(ms, undefined, { signal });
    },
  };
}
