import { AS_OF, receiverOf } from './receivers.ts';
import type { Note } from './traits.ts';

export interface ShippedNote {
  readonly note: Note;
  readonly value: number;
  readonly receiver: string;
  readonly as_of: string;
  /** Where the receiver publishes it; null: our caution. */
  readonly published: string | null;
}

export function shippedNotes(destination: string): ShippedNote[] {
  const receiver = receiverOf(destination);
  if (receiver === null) return [];
  const { limits, sources, name } = receiver;
  const notes = [
    ['conversations', 'conversations'],
    ['messages_per_connection', 'messagesPerConnection'],
    ['messages_per_minute', 'messagesPerMinute'],
  ] as const;
  return notes.flatMap(([note, of]) => {
    const value = limits[of];
    if (value == null) return [];
    return [{ note, value, receiver: name, as_of: AS_OF, published: sources[of] ?? null }];
  });
}
