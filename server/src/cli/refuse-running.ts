import { listFreshProcesses } from '../platform/database/processes-store.ts';
import { FRESH_MS } from '../platform/processes.ts';
import { CommandError, EXIT } from './command.ts';
import type { CommandServices } from './services.ts';

/** A running service works with the keys that it began with. */
export async function refuseRunning({ db }: Pick<CommandServices, 'db'>): Promise<void> {
  const processes = (await listFreshProcesses(db, FRESH_MS)).length;
  if (processes > 0)
    throw new CommandError(
      EXIT.failed,
      'conflict',
      `${processes} processes of the service run on this database, or ended less than 30 s ago: stop them first`,
    );
}
