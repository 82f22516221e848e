import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { PATIENCE_MS } from './eventually.ts';

/** Resolves when a mail server has greeted. `child`: its process, whose end is the end of waiting. */
export async function greeting(
  address: string,
  port: number,
  log: () => string,
  child?: ChildProcess,
): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; !(await greets(address, port)); ) {
    if (Date.now() > until || (child !== undefined && child.exitCode !== null))
      throw new Error(`no mail server answers on ${address}:${port}:\n${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function greets(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once('data', (bytes) => {
      socket.end('QUIT\r\n');
      resolve(bytes.toString('latin1').startsWith('220 '));
    });
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
