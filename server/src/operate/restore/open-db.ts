import type { Config } from '../../config/config-type.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Db, openDb } from '../../platform/database/db.ts';
import { loginsOf } from '../../platform/database/logins.ts';
import type { Gap } from '../../platform/journal/gaps.ts';
import { type Journal, openJournal } from '../../platform/journal/journal.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { findInstallation } from './state-store.ts';

interface OpenedDb {
  readonly db: Db;
  readonly journal: Journal | null;
}

export function openConfiguredDb(
  config: Config,
  {
    clock,
    secrets,
    onJournalError,
    onJournalDropped,
    ...options
  }: {
    readonly connectionString: string;
    readonly poolSize: number;
    readonly applicationName: string;
    readonly secrets: SecretBox;
    readonly clock: Pick<Clock, 'now'>;
    readonly onError?: (error: Error) => void;
    readonly onJournalError?: (error: unknown, waiting: number) => void;
    readonly onJournalDropped?: (of: Gap['of'], count: number) => void;
  },
): OpenedDb {
  const journal =
    config.journal === null
      ? null
      : openJournal({
          folder: config.journal,
          ...{ secrets, clock, installation: () => findInstallation(db) },
          ...(onJournalError !== undefined && { onError: onJournalError }),
          ...(onJournalDropped !== undefined && { onDropped: onJournalDropped }),
        });
  const db = openDb({ ...options, journal, logins: loginsOf(config), prepare: config.databasePrepare });
  return { db, journal };
}
