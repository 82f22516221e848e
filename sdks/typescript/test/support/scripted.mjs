// A server on a raw socket that answers as a test says: whole, in part, not at all, or by hanging up.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Acuse } from '@acuse/client';
import { SCHEMAS } from '../../dist/contract-generated.js';

/**
 * `answer(request, socket)`; `request.at` counts from 1. `options`: of the client.
 * @param {(request: {line: string, head: string, body: string, at: number}, socket: object) => void} answer
 */
export async function scripted(answer, options = {}) {
  const requests = [];
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const head = text.slice(0, end);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        const request = { line: head.split('\r\n')[0], head, body: text.slice(end + 4, end + 4 + length) };
        text = text.slice(end + 4 + length);
        requests.push(request);
        answer({ ...request, at: requests.length }, socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const sleeps = [];
  const client = new Acuse({
    apiKey: 'acuse_test_canary',
    baseUrl,
    sleep: async (ms) => void sleeps.push(ms),
    random: () => 0,
    ...options,
  });
  const close = () => {
    client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { client, requests, sleeps, sockets, baseUrl, close };
}

export function json(socket, status, value, headers = {}) {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
    ([name, each]) => `${name}: ${each}`,
  );
  socket.write(
    `HTTP/1.1 ${status} X\r\n${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export const MESSAGE = {
  // Nothing has happened to it.
  ...Object.fromEntries(
    Object.entries(SCHEMAS.Message)
      .filter(([, shape]) => shape.startsWith('?'))
      .map(([name]) => [name.replace('?', ''), null]),
  ),
  id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11',
  idempotency_key: 'k',
  from: 'a@example.com',
  to: 'b@example.net',
  subject: 'S',
  certified: true,
  status: 'queued',
  tags: [],
  metadata: {},
  size_bytes: 1,
  created_at: '2026-11-20T09:30:00.000Z',
  attempts: 0,
};
