import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { environment, takeFromEnvironment } from '../config/config.ts';

/** systemd's Type=notify. */
const SOCKET = 'NOTIFY_SOCKET';

/** The program that started this process. */
interface ServiceManager {
  /** Through systemd-notify: Node has no Unix datagram sockets. Rejects if it cannot run. */
  tellReady(): Promise<void>;
}

/**
 * Null: no systemd. Removes the socket from the environment, so that children (PostgreSQL too) cannot answer.
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
