import type { Queryable } from '../../platform/database/db.ts';
import type { Note } from '../next-hop/traits.ts';

export interface DestinationNote {
  readonly destination: string;
  readonly note: Note;
  readonly value: number;
  readonly source: 'learned' | 'operator';
  readonly reason: string;
  readonly noted_by: string;
  readonly noted_at: Date;
  /** Null: until it is removed. */
  readonly ends_at: Date | null;
}

/** Notes beyond this number have no effect; an operator's come first. */
export const NOTES_MAX = 10_000;

/** `destination` null: any. */
export function listNotes(
  db: Queryable,
  destination: string | null,
  now: Date,
  limit = NOTES_MAX,
): Promise<DestinationNote[]> {
  return db.query<DestinationNote>(
    `select destination, note, value, source, reason, noted_by, noted_at, ends_at from destination_notes
      where (ends_at is null or ends_at > $1) and ($2::text is null or destination = $2)
      order by source desc, destination, note limit $3`,
    [now.toISOString(), destination, limit],
    'delivery_list_notes',
  );
}

export async function countNotes(db: Queryable): Promise<{ learned: number; operator: number }> {
  const [row] = await db.query<{ learned: number; operator: number }>(
    `select (count(*) filter (where source = 'learned'))::integer as learned,
            (count(*) filter (where source = 'operator'))::integer as operator
       from destination_notes where ends_at is null or ends_at > now()`,
    [],
    'delivery_count_notes',
  );
  return row!;
}

/** False: an operator's note on the same stands, which only an operator replaces. */
export async function writeNote(db: Queryable, note: DestinationNote): Promise<boolean> {
  const written = await db.execute(
    `insert into destination_notes as n (destination, note, value, source, reason, noted_by, noted_at,
       ends_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (destination, note) do update
        set value = excluded.value, source = excluded.source, reason = excluded.reason,
            noted_by = excluded.noted_by, noted_at = excluded.noted_at, ends_at = excluded.ends_at
      where excluded.source = 'operator' or n.source = 'learned' or n.ends_at <= excluded.noted_at`,
    [
      note.destination,
      note.note,
      note.value,
      note.source,
      note.reason,
      note.noted_by,
      note.noted_at.toISOString(),
      note.ends_at?.toISOString() ?? null,
    ],
    'delivery_write_note',
  );
  return written > 0;
}

export async function deleteNote(db: Queryable, destination: string, note: Note): Promise<boolean> {
  const gone = await db.execute('delete from destination_notes where destination = $1 and note = $2', [
    destination,
    note,
  ]);
  return gone > 0;
}

export function deleteNotesBefore(db: Queryable, before: Date): Promise<number> {
  return db.execute('delete from destination_notes where ends_at < $1', [before.toISOString()]);
}
