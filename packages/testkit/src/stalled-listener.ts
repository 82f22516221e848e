import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * A loopback port on which connections are neither taken nor refused: the process behind it is stopped and
 * its backlog full.
 */
export interface StalledListener {
  readonly port: number;
  close(): Promise<void>;
}

const LISTEN = `require('node:net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () {
  console.log(this.address().port);
})`;
/** A connection that is not there after this long waits for ever. */
const STALLED_MS = 200;
/** Linux takes one or two more than the backlog says. */
const FILLERS_MAX = 16;

export async function startStalledListener(): Promise<StalledListener> {
  const child = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const port = Number(line);
  child.kill('SIGSTOP');
  const fillers: Socket[] = [];
  try {
    while (await connects(port, fillers)) {
      if (fillers.length >= FILLERS_MAX) throw new Error('the backlog does not fill up');
    }
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    port,
    async close() {
      for (const socket of fillers) socket.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function connects(port: number, fillers: Socket[]): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  fillers.push(socket);
  return Promise.race([
    once(socket, 'connect').then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), STALLED_MS)),
  ]);
}
