export interface Repeating {
  start(): void;
  /** No new run begins. Resolves once the current one has ended. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  readonly atOnce?: boolean;
  /** A run failed; the next one runs all the same. */
  readonly onError?: (error: unknown) => void;
}

/** Runs every `periodMs`, one run at a time. Does not keep the process alive. */
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
