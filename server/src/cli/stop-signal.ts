const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** A signal that Ctrl-C or SIGTERM aborts, for the duration of `work`. */
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
