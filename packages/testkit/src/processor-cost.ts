/**
 * The processor's cost of work, in plain readings of the largest message (25 MiB, byte by byte) that
 * the same process makes: a bound in seconds would hold on one machine and not on a slower one, this does.
 */

/**
 * The least cost of some runs, because other programs on a machine only ever add to it; a run under `enough`
 * is the last. The clock of the machine is not asked.
 */
export function leastCost(enough: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least >= enough; attempt++) {
    const unitMs = readingMs(attempt > 0);
    const spentMs = processorTime();
    run();
    least = Math.min(least, spentMs() / unitMs);
  }
  return least;
}

/** `leastCost` of work that is waited for, and its result: nothing else may be under way in the process. */
export async function leastCostOf<T>(
  enough: number,
  run: () => Promise<T>,
): Promise<{ cost: number; result: T }> {
  for (let attempt = 1, least = Number.POSITIVE_INFINITY; ; attempt++) {
    const unitMs = readingMs(attempt > 1);
    const spentMs = processorTime();
    const result = await run();
    least = Math.min(least, spentMs() / unitMs);
    if (least < enough || attempt === TRIES) return { cost: least, result };
  }
}

const TRIES = 5;
const MESSAGE_MIB = 25;
const SAMPLE_MIB = 5;
/** The first are slow, before the loop is compiled. */
const SAMPLES = 8;

const sample = Uint8Array.from({ length: SAMPLE_MIB * 1024 * 1024 }, (_, index) => index);
let known: number | null = null;

/** Cost of one reading (ms of processor); `anew` measures it again, because a machine's speed varies. */
function readingMs(anew: boolean): number {
  if (known !== null && !anew) return known;
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < SAMPLES; turn++) {
    const spentMs = processorTime();
    read(sample);
    least = Math.min(least, spentMs());
  }
  known = least * (MESSAGE_MIB / SAMPLE_MIB);
  return known;
}

function read(bytes: Uint8Array): void {
  let hash = 0;
  for (let at = 0; at < bytes.length; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  // Asked for, so that the loop is not optimized away.
  if (!Number.isInteger(hash)) throw new Error('a byte is a whole number');
}

/** Starts to count: what comes back says how long the processor has worked for this process since (ms). */
function processorTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
