import type { MonotonicClock, TranscriptLine } from './types.ts';

const UNPRINTABLE = /[\x00-\x08\x0a-\x1f\x7f]/;
const UNPRINTABLE_ALL = /[\x00-\x08\x0a-\x1f\x7f]/g;

/** The conversation of one attempt, in the order of the wire. */
export class Transcript {
  readonly #clock: MonotonicClock;
  readonly #lines: TranscriptLine[] = [];
  readonly #startMs: number;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  client(line: string): void {
    this.#add('C', line);
  }

  server(line: string): void {
    this.#add('S', line);
  }

  lines(): readonly TranscriptLine[] {
    return this.#lines;
  }

  #add(who: 'C' | 'S', line: string): void {
    const t_ms = Math.max(0, Math.round(this.#clock.now() - this.#startMs));
    this.#lines.push({ t_ms, who, line: printable(line) });
  }
}

/**
 * Controls as `\xNN`: a transcript is stored as JSON and printed on terminals, and must be neither broken nor
 * driven by a peer.
 */
export function printable(text: string): string {
  if (!UNPRINTABLE.test(text)) return text;
  return text.replace(UNPRINTABLE_ALL, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
