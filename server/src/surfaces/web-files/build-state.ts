import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * State of the web applications' build. In a source tree scripts/build.mjs builds them at the start and
 * writes a state file; packages have none.
 */
type BuildState =
  | { readonly kind: 'done' }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Next to the bundle, or in dist. */
const STATE_PLACES = ['./web.json', '../../../dist/web.json'];
/** Next to the bundle, or in dist: one folder per application. */
export const FILE_PLACES = ['./web/', '../../../dist/web/'];

const LOOK_EVERY_MS = 50;
const REASON_CHARS_MAX = 1_000;

export function readBuildState(): BuildState {
  for (const place of STATE_PLACES) {
    const stated = parseState(readIfThere(place));
    if (stated !== null) return stated;
  }
  return { kind: 'done' };
}

/** Waits for a running build. Null: available. */
export async function awaitWebBuild(withinMs: number): Promise<string | null> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += LOOK_EVERY_MS) {
    const state = readBuildState();
    if (state.kind === 'done') return null;
    if (state.kind === 'failed') return state.reason;
    await sleep(LOOK_EVERY_MS);
  }
  return `the build takes longer than ${withinMs / 1000} s`;
}

function parseState(text: string | null): BuildState | null {
  if (text === null) return null;
  const stated = JSON.parse(text) as { state: string; pid?: number; reason?: string };
  if (stated.state === 'failed')
    return { kind: 'failed', reason: String(stated.reason).slice(0, REASON_CHARS_MAX) };
  if (stated.pid !== undefined && isAlive(stated.pid)) return { kind: 'building' };
  return { kind: 'failed', reason: 'the build was interrupted' };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readIfThere(place: string): string | null {
  try {
    return readFileSync(fileURLToPath(new URL(place, import.meta.url)), 'utf8');
  } catch {
    return null;
  }
}
