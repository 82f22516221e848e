/** Something that is done again and again while a process runs. */
export interface Repeating {
  /** Started already: nothing happens. */
  start(): void;
  /** No further run begins. Resolves once the one under way has ended. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** The first run comes with the start, rather than a period after it. */
  readonly atOnce?: boolean;
  /** Called when a run failed; the next one is made nevertheless. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Does `run` every `periodMs`, one run at a time: a slow database is not asked again and again. It keeps no
 * process alive.
 */
export function every(
  periodMs: number,
  run: () => unknown,
  { atOnce = false, onError }: RepeatOptions = {},
): Repeating {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  async function runOnce(): Promise<void> {
    try {
      await run();
    } catch (error) {
      onError?.(error);
    }
  }

  function next(): void {
    running ??= runOnce().finally(() => {
      running = null;
    });
  }

  return {
    start() {
      if (timer !== undefined) return;
      timer = setInterval(next, periodMs).unref();
      if (atOnce) next();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
  };
}
