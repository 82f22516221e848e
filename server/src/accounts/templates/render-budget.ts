/**
 * What a rendering may cost. Two measures: one for the thread that answers requests, one for a thread of its
 * own.
 */
export interface RenderLimits {
  /**
   * What is given, written, captured and returned by filters, in all (characters; a list counts its
   * elements).
   */
  readonly madeChars: number;
  /**
   * What ranges and filters say that they allocate (characters and elements; they count what they read, too).
   */
  readonly allocated: number;
  /** A tag, an output, or as many characters that are worked on as cost as much. */
  readonly steps: number;
  /** Time that all parts may take (ms), once they cost more than an ordinary rendering. */
  readonly timeMs: number;
}

/**
 * What an ordinary template needs: some milliseconds at most, counted without a clock, so that the same
 * template and variables are always within it or never.
 */
export const ORDINARY: RenderLimits = {
  madeChars: 256 * 1024,
  allocated: 64 * 1024,
  steps: 1_000,
  timeMs: Number.POSITIVE_INFINITY,
};
/** Twice what subject, text and html can hold together (characters). */
const MADE_CHARS_MAX = 8 * 1024 * 1024;
/**
 * Steps: some 50 ms of work on a machine with nothing else to do. Counted, so that a busy machine refuses
 * nothing more.
 */
const RENDER_STEPS_MAX = 50_000;
/** For what steps do not measure; in a thread of its own, so that nobody waits for it. */
const RENDER_LIMIT_MS = 1_000;
/** All that any template may take: what it makes stays under 32 MiB. */
export const LARGEST: RenderLimits = {
  madeChars: MADE_CHARS_MAX,
  allocated: 512 * 1024,
  steps: RENDER_STEPS_MAX,
  timeMs: RENDER_LIMIT_MS,
};

/**
 * An ordinary template is through by then: before it the clock does not count, so that a pause of this
 * machine fails none.
 */
const FREE_STEPS = 1_000;
/** Characters of an output, or that a filter works on, which cost as much as a step. */
const CHARS_PER_STEP = 1_024;
/** What writing costs beside its characters: a text is kept in as many pieces as it was written in. */
const WRITE_CHARS = 16;

/**
 * Made once per rendering and given to each of its parts. Stands in for both limits that Liquid counts with.
 */
export class RenderBudget {
  private readonly limits: RenderLimits;
  private readonly deadlineMs: number;
  private steps = 0;
  private made = 0;
  private allocated = 0;
  /** It was the cost that ended the rendering, not the template. */
  exceeded = false;

  constructor(limits: RenderLimits, nowMs: number) {
    this.limits = limits;
    this.deadlineMs = nowMs + limits.timeMs;
  }

  /** Liquid calls it at each step. */
  check(nowMs: number): void {
    this.steps++;
    this.requireTime(nowMs);
  }

  /** For steps that work on much at once. */
  spend(chars: number): void {
    this.steps += chars / CHARS_PER_STEP;
    this.requireTime(performance.now());
  }

  /**
   * Liquid calls it for what a filter or a range is about to make. What is negative or no number gives
   * nothing back.
   */
  use(count: unknown): void {
    const units = Number(count);
    if (!(units > 0)) return;
    this.allocated += units;
    if (this.allocated > this.limits.allocated)
      this.fail('rendering takes too much memory: use fewer or smaller loops and values');
  }

  /** Counts characters or elements that are made. */
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
