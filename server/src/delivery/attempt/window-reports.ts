import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { every, type Repeating } from '../../platform/every.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/logger.ts';
import { deleteWindowReportsBefore, replaceWindowReports } from '../operate/pause-store.ts';
import type { Destinations } from './destinations.ts';

const REPORT_EVERY_MS = 5_000;
/** An older report is of a dead process. */
export const REPORT_STALE_MS = 3 * REPORT_EVERY_MS;
/** Destinations per report, by number waiting. */
const REPORTS_MAX = 500;

export function createWindowReports(deps: {
  db: Db;
  clock: Clock;
  log: Log;
  destinations: Destinations;
  everyMs?: number;
}): Repeating {
  const { db, clock, log, destinations } = deps;
  const processId = newId();
  let written = 0;

  async function write(): Promise<void> {
    const reports = destinations.report().slice(0, REPORTS_MAX);
    // The usual case: nothing to report costs no statement.
    if (reports.length === 0 && written === 0) return;
    const now = clock.now();
    await db.transact((tx) => replaceWindowReports(tx, processId, reports, now));
    written = reports.length;
    await deleteWindowReportsBefore(db, new Date(now.getTime() - 10 * REPORT_STALE_MS));
  }

  const reports = every(deps.everyMs ?? REPORT_EVERY_MS, write, {
    onError: (error) => log.warn({ err: error }, 'reporting on destinations failed; trying again'),
  });

  return {
    start: reports.start,
    async stop() {
      await reports.stop();
      if (written > 0)
        await db.transact((tx) => replaceWindowReports(tx, processId, [], clock.now())).catch(() => {});
    },
  };
}
