import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to listeners on port 0 (Linux: from 32 768
 * on): nobody takes such a port between our look and the start of the program that is to have it.
 */
const FIRST = 12_000;
const LAST = 32_000;
const TRIES = 50;
const given = new Set<number>();

/** A port that is free now, for TCP and UDP, on all addresses: for programs that take no port 0. */
export async function freePort(): Promise<number> {
  for (let i = 0; i < TRIES; i++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port among ${TRIES} from ${FIRST} to ${LAST}`);
}

async function isFree(port: number): Promise<boolean> {
  const stream = createServer();
  const datagrams = createSocket('udp4');
  try {
    stream.listen(port);
    await once(stream, 'listening');
    datagrams.bind(port);
    await once(datagrams, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    if (stream.listening) {
      stream.close();
      await once(stream, 'close');
    }
    datagrams.close();
    await once(datagrams, 'close');
  }
}
