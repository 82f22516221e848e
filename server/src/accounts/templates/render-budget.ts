export interface RenderLimits {
  /** All text given, written, captured and returned (characters; list elements). */
  readonly madeChars: number;
  /** Liquid's own allocation count. */
  readonly allocated: number;
  /** Tags, outputs, or equivalent text. */
  readonly steps: number;
  /** Total time beyond the free steps (ms). */
  readonly timeMs: number;
}

/** Counted, so that the result does not depend on the machine. */
export const ORDINARY: RenderLimits = {
  madeChars: 256 * 1024,
  allocated: 64 * 1024,
  steps: 1_000,
  timeMs: Number.POSITIVE_INFINITY,
};
/** Twice the parts' size (characters). */
const MADE_CHARS_MAX = 8 * 1024 * 1024;
/** Some 50 ms; counted, independent of load. */
const RENDER_STEPS_MAX = 50_000;
/** For cost that steps miss (ms). */
const RENDER_LIMIT_MS = 1_000;
/** Output stays under 32 MiB. */
export const LARGEST: RenderLimits = {
  madeChars: MADE_CHARS_MAX,
  allocated: 512 * 1024,
  steps: RENDER_STEPS_MAX,
  timeMs: RENDER_LIMIT_MS,
};

/** Before it the clock does not count: a pause fails nothing. */
const FREE_STEPS = 1_000;
const CHARS_PER_STEP = 1_024;
/** Per write: text is kept in pieces. */
const WRITE_CHARS = 16;

/** One per rendering, replaces both Liquid limits. */
export class RenderBudget {
  private readonly limits: RenderLimits;
  private readonly deadlineMs: number;
  private steps = 0;
  private made = 0;
  private allocated = 0;
  exceeded = false;

  constructor(limits: RenderLimits, nowMs: number) {
    this.limits = limits;
    this.deadlineMs = nowMs + limits.timeMs;
  }

  check(nowMs: number): void {
    this.steps++;
    this.requireTime(nowMs);
  }

  spend(chars: number): void {
    this.steps += chars / CHARS_PER_STEP;
    this.requireTime(performance.now());
  }

  /** Ignores negative and invalid values. */
  use(count: unknown): void {
    const units = Number(count);
    if (!(units > 0)) return;
    this.allocated += units;
    if (this.allocated > this.limits.allocated)
      this.fail('rendering takes too much memory: use fewer or smaller loops and values');
  }

  make(chars: number): void {
    this.made += chars + WRITE_CHARS;
    if (this.made > this.limits.madeChars)
      this.fail('rendering produces too much text: use fewer or smaller loops, captures and filters');
  }

  private requireTime(nowMs: number): void {
    const isOrdinary = this.steps <= FREE_STEPS && this.made <= ORDINARY.madeChars;
    if (this.steps > this.limits.steps || (!isOrdinary && nowMs > this.deadlineMs))
      this.fail('rendering takes too long: use fewer or smaller loops and values');
  }

  private fail(problem: string): never {
    this.exceeded = true;
    throw new Error(problem);
  }
}
