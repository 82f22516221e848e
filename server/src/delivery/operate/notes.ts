import { apiError } from '../../errors.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { FLAGS, type Note } from '../next-hop/traits.ts';
import { type DestinationNote, deleteNote, listNotes, writeNote } from './note-store.ts';
import { destinationOf } from './queue.ts';

export const NOTE_DAYS_MAX = 3_650;
const LIMITS_OF: Readonly<Record<Exclude<Note, 'no_pipelining' | 'no_tls' | 'no_ipv6'>, number>> = {
  conversations: 100,
  messages_per_connection: 100,
  messages_per_minute: 1_000_000,
};

export interface GivenNote {
  readonly destination: string;
  readonly note: Note;
  readonly value: number;
  readonly reason: string;
  readonly by: string;
  /** Null: until it is removed. */
  readonly days: number | null;
}

/** Obeyed by every delivery process within seconds. Throws invalid_address, invalid_parameter. */
export async function noteDestination({ db, clock }: DbAndClock, given: GivenNote): Promise<DestinationNote> {
  const { note, value, days } = given;
  const [least, most] = rangeOf(note);
  if (!Number.isInteger(value) || value < least || value > most)
    throw apiError('invalid_parameter', `${note} takes ${least} to ${most}, not ${value}.`);
  const now = clock.now();
  const written: DestinationNote = {
    destination: destinationOf(given.destination),
    note,
    value,
    source: 'operator',
    reason: given.reason,
    noted_by: given.by,
    noted_at: now,
    ends_at: days === null ? null : new Date(now.getTime() + days * DAY_MS),
  };
  await writeNote(db, written);
  return written;
}

const DAY_MS = 86_400_000;

function rangeOf(note: Note): readonly [least: number, most: number] {
  return FLAGS.has(note) ? [0, 1] : [1, LIMITS_OF[note as keyof typeof LIMITS_OF]];
}

export function forgetNote({ db }: DbAndClock, destination: string, note: Note): Promise<boolean> {
  return deleteNote(db, destinationOf(destination), note);
}

export function readNotes(
  { db, clock }: DbAndClock,
  destination: string | null,
  limit: number,
): Promise<DestinationNote[]> {
  return listNotes(db, destination === null ? null : destinationOf(destination), clock.now(), limit);
}
