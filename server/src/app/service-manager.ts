import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { environment, takeFromEnvironment } from '../config/config.ts';

/** What systemd calls a service of Type=notify with. */
const SOCKET = 'NOTIFY_SOCKET';

/** Who started this process and wants to know once it is up. */
export interface ServiceManager {
  /** By systemd's own command: Node has no datagram sockets of Unix. Rejects where that cannot be run. */
  tellReady(): Promise<void>;
}

/**
 * systemd, where it waits to be told of the start; null otherwise. Its socket leaves the environment, so that
 * no process that is started from here on (PostgreSQL knows it too) answers in our name.
 */
export function findManager(): ServiceManager | null {
  const socket = takeFromEnvironment(SOCKET);
  if (socket === undefined) return null;
  return {
    async tellReady() {
      await promisify(execFile)('systemd-notify', ['--ready'], { env: { ...environment, [SOCKET]: socket } });
    },
  };
}
