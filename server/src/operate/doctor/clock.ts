import { readDatabaseClock } from './database-store.ts';
import type { DoctorDeps, Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Thresholds of a warning and of a problem (ms). */
const DRIFT_WARN_MS = 2_000;
const DRIFT_MAX_MS = 60_000;

export const clocks: Group = async (deps) => {
  const kept = await judgeKept(deps);
  if (deps.db === null) return [kept];
  const before = deps.clock.now().getTime();
  const database = await readDatabaseClock(deps.db);
  const after = deps.clock.now().getTime();
  // Read in between.
  const driftMs =
    database.getTime() < before ? database.getTime() - before : Math.max(0, database.getTime() - after);
  return [kept, judgeDrift(['clock.database', 'PostgreSQL'], driftMs)];
};

async function judgeKept({ isClockKept }: DoctorDeps): Promise<Finding> {
  const place = ['clock.system', 'this machine'] as const;
  const kept = await isClockKept();
  if (kept === true) return ok(...place, 'Synchronised with a time server.');
  if (kept === null)
    return fault(
      'unknown',
      place,
      'Cannot tell whether the clock is synchronised.',
      'in a container, check on its host: timedatectl',
    );
  return fault(
    'warning',
    place,
    'It is not synchronised with a time server.',
    'timedatectl set-ntp true, or install chrony',
  );
}

/** `driftMs`: positive if the other clock is ahead. */
export function judgeDrift(place: readonly [string, string], driftMs: number): Finding {
  const seconds = Math.abs(driftMs / 1_000).toFixed(1);
  if (Math.abs(driftMs) <= DRIFT_WARN_MS) return ok(...place, `Agrees with this machine to ${seconds} s.`);
  const detail = `Its clock is ${seconds} s ${driftMs > 0 ? 'ahead of' : 'behind'} this machine's.`;
  const fix = 'set both clocks by a time server: timedatectl set-ntp true, or install chrony';
  return fault(Math.abs(driftMs) > DRIFT_MAX_MS ? 'problem' : 'warning', place, detail, fix);
}
