import { acquireDataLock, DataFolderInUse } from '../platform/database/data-lock.ts';
import { SYSTEM_TOOL_PATH } from '../platform/database/postgres-runner.ts';
import { CommandError, EXIT } from './command.ts';

/** One process per state file. Throws CommandError if in use. */
export async function lockState(path: string, owner: 'monitor' | 'witness') {
  const self = {
    pid: process.pid,
    command: `acuse ${owner}`,
    kind: 'command',
    startedAt: new Date().toISOString(),
  } as const;
  try {
    return await acquireDataLock(`${path}.lock`, self, 0, SYSTEM_TOOL_PATH);
  } catch (cause) {
    if (!(cause instanceof DataFolderInUse)) throw cause;
    throw new CommandError(EXIT.unavailable, 'state_in_use', `${path} is in use by another acuse ${owner}`, {
      cause,
    });
  }
}
