import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { CONNECTIONS_MAX, createMetricsServer } from '../../src/platform/http/metrics-server.ts';
import { createMetrics } from '../../src/platform/metrics.ts';

const sockets: Socket[] = [];
const server = createMetricsServer(createMetrics({ log: pino({ level: 'silent' }), process: false }));
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
});

test('silent connections to the port of metrics keep no scrape out', async () => {
  const port = await server.start('127.0.0.1', 0);
  for (let count = 0; count < CONNECTIONS_MAX; count++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.5.1' });
    sockets.push(socket.on('error', () => {}));
    await once(socket, 'connect');
  }
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(answer.status).toBe(200);
});
