import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A customer's program that webhooks call, on this machine. */
export interface Receiver {
  readonly url: string;
  /** Bodies that came, the oldest first. */
  readonly bodies: readonly string[];
  /** From now on; at first it takes everything. */
  answer(respond: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const bodies: string[] = [];
  let respond: (response: ServerResponse) => void = (response) => response.writeHead(204).end();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    bodies.push(Buffer.concat(parts).toString());
    respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    bodies,
    answer(next) {
      respond = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
