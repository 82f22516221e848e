import type { Tracing, TracingDeps, TracingSettings } from './tracing.ts';

/** Null without settings: then nothing of the library is loaded. */
export async function openTracing(
  settings: TracingSettings | null,
  deps: TracingDeps,
): Promise<Tracing | null> {
  if (settings === null) return null;
  const { createTracing } = await import('./open-telemetry.ts');
  return createTracing(settings, deps);
}
