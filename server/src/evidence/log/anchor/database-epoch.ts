import type { Anchor } from './anchor.ts';

/**
 * The highest timeline of the database that a process wrote to, beside the log's anchor: a primary that was
 * replaced, and does not know, has a lower one, and is written to by nobody who can read this.
 */
export interface Epoch {
  /** Of PostgreSQL's cluster: another one begins anew. */
  readonly system: string;
  readonly timeline: number;
}

const HEAD = 'acuse database epoch';

const nameOf = ({ system }: Epoch) => `database/${system}`;
const noteOf = ({ system, timeline }: Epoch) => `${HEAD}\n${system}\n${timeline}\n`;

function timelineOf(note: string | null): number {
  const [head, , timeline] = note?.split('\n') ?? [];
  return head === HEAD ? Number(timeline) || 0 : 0;
}

/** The highest timeline that is known, after this one was added to it. Throws AnchorUnreachable. */
export async function holdEpoch(anchor: Anchor, own: Epoch): Promise<number> {
  for (;;) {
    const note = await anchor.read(nameOf(own));
    const seen = timelineOf(note);
    if (seen >= own.timeline) return seen;
    if (await anchor.swap(nameOf(own), note, noteOf(own))) return own.timeline;
  }
}

/** What was restored on purpose may have a lower one. Throws AnchorUnreachable. */
export async function resetEpoch(anchor: Anchor, own: Epoch): Promise<void> {
  for (;;) {
    const note = await anchor.read(nameOf(own));
    if (timelineOf(note) <= own.timeline) return;
    if (await anchor.swap(nameOf(own), note, noteOf(own))) return;
  }
}
