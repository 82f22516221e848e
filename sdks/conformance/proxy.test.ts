import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startProxy } from './proxy/proxy.mjs';

/** The proxy puts a request to a busy server again, while a library may give up and try again. */
test('what comes after a silent request finds its work done, on a busy server too', async () => {
  const order: string[] = [];
  let isBusy = true;
  let refuse = () => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const server = http.createServer((request, response) => {
    if (isBusy) {
      isBusy = false;
      response.writeHead(503).end();
      refuse();
      return;
    }
    order.push(String(request.headers['acuse-attempt']));
    response.writeHead(201).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let count = 0;
  const proxy = await startProxy({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script: () => (++count === 1 ? { silence: true } : undefined),
  });
  try {
    const send = (attempt: string) =>
      http.request(`${proxy.url}/v1/messages`, { method: 'POST', headers: { 'acuse-attempt': attempt } });
    const first = send('1');
    first.on('error', () => {});
    first.end();
    await refused;
    const second = send('2');
    second.end();
    const [answer] = await once(second, 'response');
    answer.resume();
    expect(order).toEqual(['1', '2']);
  } finally {
    proxy.close();
    server.close();
    server.closeAllConnections();
  }
});
