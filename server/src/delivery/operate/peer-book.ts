import type { DbAndClock } from '../../platform/database/db.ts';
import { every } from '../../platform/every.ts';
import type { Log } from '../../platform/logger.ts';
import { type Note, type Traits, traitsOf } from '../next-hop/traits.ts';
import { type DestinationNote, deleteNotesBefore, listNotes, writeNote } from './note-store.ts';

/** The notes on destinations as a delivery process knows them, and what it adds to them. */
export interface PeerBook {
  of(destination: string): Traits;
  /** Once the notes were read, or could not be: no message is claimed before. */
  readonly known: Promise<void>;
  isKnown(): boolean;
  /** Written once while it stands; an operator's note on the same stays. */
  learn(destination: string, lesson: Lesson): void;
  start(): void;
  stop(): Promise<void>;
}

export interface Lesson {
  readonly note: Note;
  readonly value: number;
  readonly reason: string;
  readonly lastsMs: number;
}

const LOOK_EVERY_MS = 5_000;
/** `noted_by` of learned notes. */
const LEARNED_BY = 'acuse';
const REASON_MAX_CHARS = 500;

interface PeerBookDeps extends DbAndClock {
  readonly log: Log;
  readonly everyMs?: number;
}

export function createPeerBook({ db, clock, log, everyMs = LOOK_EVERY_MS }: PeerBookDeps): PeerBook {
  let known: ReadonlyMap<string, ReadonlyMap<Note, number>> = new Map();
  const writing = new Set<Promise<unknown>>();
  let isKnown = false;
  let tellKnown = () => {};
  const first = new Promise<void>((resolve) => {
    tellKnown = resolve;
  });

  async function look(): Promise<void> {
    try {
      known = byDestination(await listNotes(db, null, clock.now()));
    } finally {
      isKnown = true;
      tellKnown();
    }
  }

  const looks = every(everyMs, look, {
    atOnce: true,
    onError: (error) =>
      log.warn({ err: error }, 'reading the notes on destinations failed; the last known ones apply'),
  });

  async function write(destination: string, { note, value, reason, lastsMs }: Lesson): Promise<void> {
    const now = clock.now();
    const isNew = await writeNote(db, {
      destination,
      note,
      value,
      source: 'learned',
      reason: reason.slice(0, REASON_MAX_CHARS),
      noted_by: LEARNED_BY,
      noted_at: now,
      ends_at: new Date(now.getTime() + lastsMs),
    });
    if (isNew) log.info({ destination, note, value, reason }, 'noted about a destination');
    await deleteNotesBefore(db, now);
    await look();
  }

  return {
    known: first,
    isKnown: () => isKnown,
    of: (destination) => traitsOf(destination, known.get(destination)),
    learn(destination, lesson) {
      const noted = known.get(destination);
      if (noted?.has(lesson.note) === true) return;
      // At once: what one message taught serves the next.
      known = new Map(known).set(destination, new Map(noted).set(lesson.note, lesson.value));
      const written = write(destination, lesson)
        .catch((error) => log.warn({ err: error, destination }, 'a note on a destination was not kept'))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    start: looks.start,
    async stop() {
      await looks.stop();
      await Promise.all(writing);
    },
  };
}

function byDestination(notes: readonly DestinationNote[]): Map<string, Map<Note, number>> {
  const found = new Map<string, Map<Note, number>>();
  for (const { destination, note, value } of notes) {
    const of = found.get(destination) ?? new Map<Note, number>();
    found.set(destination, of.set(note, value));
  }
  return found;
}
