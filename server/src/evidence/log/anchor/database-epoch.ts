import type { Anchor } from './anchor.ts';

/**
 * The highest database timeline that was written to, stored with the anchor: a primary that was replaced has
 * a lower one, and gets no writes.
 */
export interface Epoch {
  /** A new cluster begins anew. */
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

/** Records `own` and returns the highest timeline. Throws AnchorUnreachable. */
export async function holdEpoch(anchor: Anchor, own: Epoch): Promise<number> {
  for (;;) {
    const note = await anchor.read(nameOf(own));
    const seen = timelineOf(note);
    if (seen >= own.timeline) return seen;
    if (await anchor.swap(nameOf(own), note, noteOf(own))) return own.timeline;
  }
}

/** After an intended restore, which may lower it. Throws AnchorUnreachable. */
export async function resetEpoch(anchor: Anchor, own: Epoch): Promise<void> {
  for (;;) {
    const note = await anchor.read(nameOf(own));
    if (timelineOf(note) <= own.timeline) return;
    if (await anchor.swap(nameOf(own), note, noteOf(own))) return;
  }
}
