const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Runs `work` with a signal that Ctrl-C or SIGTERM aborts. Afterwards they mean what they meant before. */
export async function untilStopped<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  }
}
