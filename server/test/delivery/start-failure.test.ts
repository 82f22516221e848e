import { connect } from 'node:net';
import { freePort } from '@acuse/testkit/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkers } from '../../src/app/workers.ts';
import { createIdleBackOff } from '../../src/platform/queue/idle-back-off.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Nobody else listens here. */
const HOST = '127.0.0.77';
let service: TestService;
let port: number;

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({
    environment: {
      ACUSE_RETURN_PATH_HOST: HOST,
      ACUSE_RETURN_PATH_PORT: String(port),
      ACUSE_ROLES: 'delivery,return-path',
    },
  });
});
afterAll(() => service.stop());

function listens(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('workers that cannot start leave nothing listening, so that a start can be tried again', async () => {
  const { services } = service;
  // A smarthost mode without its relay, which no configuration that was read can be.
  const config = { ...services.config, delivery: 'smarthost', smarthost: null } as const;
  const idleBackOff = createIdleBackOff(services.clock, () => false);
  await expect(
    startWorkers({ ...services, config, idleBackOff, onContradicted: () => {}, forward: null }),
  ).rejects.toThrow('has a smarthost');
  expect(await listens()).toBe(false);
});
