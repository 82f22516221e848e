import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpSide } from '../../src/app/http-side.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** /readyz as a balancer, a unit or a script reads it while a process begins and ends. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

test('a process that listens is ready only once all of it has started, and no more once it stops', async () => {
  const http = createHttpSide({
    services: { ...service.services, metrics: createMetrics({ log: service.services.log, process: false }) },
    accept: null,
    wakeDelivery: () => {},
    wakeWebhooks: () => {},
  });
  const ask = async (path: string) => {
    const { statusCode, headers, body } = await http.app.inject({ url: path });
    return [statusCode, headers['retry-after'], JSON.parse(body).error?.message ?? JSON.parse(body).status];
  };
  expect(await ask('/readyz')).toEqual([503, '1', 'The service is starting.']);
  expect(await ask('/healthz')).toEqual([200, undefined, 'ok']);
  http.health.ready();
  expect(await ask('/readyz')).toEqual([200, undefined, 'ok']);
  http.health.retire();
  expect(await ask('/readyz')).toEqual([503, '1', 'The service is shutting down.']);
  http.health.ready();
  expect((await ask('/readyz'))[0]).toBe(503);
  await http.close();
});
