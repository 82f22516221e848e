import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests per connection. Clients that pipeline repeat what a closed connection left unanswered. */
export const UNANSWERED_MAX = 16;

/** Reads on, or says that the connection is no longer HTTP, so that the rest of the input is left. */
type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => unknown;
const STOP_READING = 2;

/**
 * Closes a connection with more requests unanswered. Node begins all that a connection writes, thousands in
 * one read, whether or not an answer to the first is out.
 */
export function limitPipelining(server: Server, onClosed: (socket: Socket) => void = () => {}): void {
  const unanswered = new WeakMap<Socket, number>();
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > UNANSWERED_MAX) {
      onClosed(socket);
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1));
    for (const handle of handlers) handle.call(server, request, response);
  });
  // Node would answer 417 by itself, without a limit. RFC 9110 §10.1.1 lets a server pass it over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connection', stopReadingOnceClosed);
}

/** Undocumented in Node: without it, the rest is read and then dropped. */
function stopReadingOnceClosed(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: OnIncoming } };
  const onIncoming = parser?.onIncoming;
  if (parser === undefined || onIncoming === undefined) return;
  parser.onIncoming = (...incoming) => (socket.destroyed ? STOP_READING : onIncoming(...incoming));
}
