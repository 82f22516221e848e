import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Between the service and its database. `cut`: connections break, and new ones fail; `stall`: nothing passes;
 * a number: each answer is delayed by so much (ms).
 */
type Passing = 'open' | 'cut' | 'stall' | number;

export interface DatabaseProxy {
  readonly port: number;
  set(next: Passing): void;
  stop(): Promise<void>;
}

const LOOK_MS = 50;
const POSTGRES_PORT = 5432;

/** Where a database URL goes; null: to several hosts. */
export function addressOf(url: string): NetConnectOpts | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const number = Number(searchParams.get('port') ?? (port || POSTGRES_PORT));
  if (host.includes(',')) return null;
  if (host.startsWith('/')) return { path: join(host, `.s.PGSQL.${number}`) };
  return { host: host === '' ? '127.0.0.1' : host, port: number };
}

/** The same database over the proxy. */
export function through(url: string, port: number): string {
  const there = new URL(url);
  there.searchParams.set('host', '127.0.0.1');
  there.searchParams.set('port', String(port));
  return there.href;
}

export async function startProxy(target: NetConnectOpts): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  let passing: Passing = 'open';

  async function pass(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from) {
      if (typeof passing === 'number') await sleep(passing);
      while (passing === 'stall' && to.writable) await sleep(LOOK_MS);
      if (!to.writable) return;
      if (!to.write(chunk)) await once(to, 'drain');
    }
  }

  const server = createServer((client) => {
    if (passing === 'cut') return client.destroy();
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      pass(from, to)
        .catch(() => {})
        .finally(() => to.end());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    set(next) {
      passing = next;
      if (next === 'cut') for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
