import { AnchorUnreachable } from '../evidence/log/anchor/anchor.ts';
import { compareWithAnchor } from '../evidence/log/anchor/compare.ts';
import { AnchorContradicts, continuesAnchor } from '../evidence/log/anchor/publish.ts';
import { listLogs } from '../evidence/log/log-store.ts';
import { createMarks, MARK_EVERY_MS, SetBack } from '../operate/restore/set-back.ts';
import { every, type Repeating } from '../platform/every.ts';
import { JournalUnreachable } from '../platform/journal/read-journal.ts';
import { keepWatch } from './keep-watch.ts';
import { findRecovery } from './recovery.ts';
import type { Services } from './services.ts';

/** Longest time that a process works on a rolled back database (ms). */
const LOOK_EVERY_MS = 5_000;

/**
 * Compares database and anchor while running, in every role: somebody may restore the database underneath.
 * Null: no anchor, or already in recovery.
 */
export function watchAnchor(
  { db, log, metrics, anchor, recovery }: Services,
  onContradicted: (error: AnchorContradicts) => void,
): Repeating | null {
  if (anchor === null || recovery !== null) return null;
  const look = async () => {
    for (const each of await listLogs(db)) {
      const { standing } = await compareWithAnchor(db, anchor, each);
      if (!continuesAnchor(standing))
        return onContradicted(new AnchorContradicts(each.origin, anchor, standing));
    }
  };
  const watch = keepWatch(LOOK_EVERY_MS, look, {
    isAway: (error) => error instanceof AnchorUnreachable,
    onFailed: (error) =>
      log.warn({ err: error, anchor: anchor.place }, 'the log could not be compared with its anchor'),
  });
  metrics.gauge(
    'acuse_log_anchor_reachable',
    '1: the last check could read the anchor; 0: it could not, and nothing is sealed until one can.',
    async () => (watch.isThere() ? 1 : 0),
  );
  return watch.looking;
}

/**
 * Marks database and journal, so that a restore is detected. Null: no journal, or in recovery. Throws
 * JournalUnreachable.
 */
export async function watchMarks(
  { config, db, clock, log, metrics, recovery }: Services,
  onSetBack: (error: Error) => void,
): Promise<Repeating | null> {
  const { journal: folder } = config;
  if (folder === null || recovery !== null) return null;
  const marks = await createMarks({ db, clock, journalFolder: folder });
  if (marks.isNew)
    log.warn(
      { journal: folder },
      'the journal has nothing of this database, which has used one before: is its folder mounted? A restore forgets what was in it',
    );
  await marks.mark();
  const mark = async () => {
    await marks.mark().catch((error) => {
      if (!(error instanceof SetBack)) throw error;
      onSetBack(error);
    });
  };
  const watch = keepWatch(MARK_EVERY_MS, mark, {
    isAway: (error) => error instanceof JournalUnreachable,
    onFailed: (error) => log.warn({ err: error, journal: folder }, 'the journal could not be marked'),
  });
  metrics.gauge(
    'acuse_journal_writable',
    '1: the journal was written at the last mark; 0: it could not be, and changes that belong there are refused.',
    async () => (watch.isThere() ? 1 : 0),
  );
  return watch.looking;
}

/** Ends a process in recovery after the release, to start normally. */
export function watchRelease(services: Services): Repeating | null {
  const { log, recovery, config } = services;
  if (recovery === null) return null;
  const looking = { ...services, log: { ...log, fatal() {} } as typeof log, journalFolder: config.journal };
  return every(LOOK_EVERY_MS, async () => {
    if ((await findRecovery(looking, services.anchor)) !== null) return;
    log.info({}, 'the database was released: this process ends, to be started again');
    process.kill(process.pid, 'SIGTERM');
  });
}

/** The next start finds the contradiction and enters recovery. */
export function endContradicted({ log }: Pick<Services, 'log'>): (error: Error) => void {
  let isEnding = false;
  return (error) => {
    if (isEnding) return;
    isEnding = true;
    log.fatal(
      { err: error },
      'the database was rolled back or contradicts its anchor: this process ends, and starts in recovery',
    );
    process.kill(process.pid, 'SIGTERM');
  };
}
