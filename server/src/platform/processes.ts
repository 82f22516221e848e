import { readFileSync, readlinkSync } from 'node:fs';
import type { Db, Queryable, Tx } from './database/db.ts';
import {
  beatProcess,
  deleteProcesses,
  listFreshRoles,
  listProcessesAlone,
  type ProcessRow,
} from './database/processes-store.ts';
import { every } from './every.ts';
import { newId } from './ids.ts';
import type { LoopLog } from './logger.ts';
import { LEASE_MS } from './queue/leases.ts';

/**
 * This process among those on the same database. If none is left at its start, it frees all leases, so that a
 * restart after a crash need not wait for them. In doubt another counts as alive.
 */
export interface OwnProcess {
  alone(): boolean;
  leave(): Promise<void>;
}

interface EnterDeps {
  readonly db: Db;
  readonly log: LoopLog & { info(fields: object, message: string): void };
  readonly roles: readonly string[];
  freeLeases(tx: Tx): Promise<void>;
  readonly identity?: Identity;
  readonly beatEveryMs?: number;
}

/** Process and kernel boot; nulls where unknown. */
export type Identity = Omit<ProcessRow, 'process_id' | 'fresh'>;

export const BEAT_EVERY_MS = 5_000;
/** Silent for this long: its leases have ended (ms). */
export const FRESH_MS = 2 * LEASE_MS;

export async function enterProcesses(deps: EnterDeps): Promise<OwnProcess> {
  const { db, log } = deps;
  const identity = deps.identity ?? ownIdentity();
  const row = { process_id: newId(), ...identity, roles: deps.roles };
  const alone = await db.transact(async (tx) => {
    const others = await listProcessesAlone(tx, FRESH_MS);
    const gone = others.filter((other) => !other.fresh || isGone(other, identity));
    if (gone.length > 0)
      await deleteProcesses(
        tx,
        gone.map(({ process_id }) => process_id),
      );
    const isAlone = gone.length === others.length;
    if (isAlone) await deps.freeLeases(tx);
    await beatProcess(tx, row, FRESH_MS);
    return isAlone;
  });
  if (!alone)
    log.info(
      {},
      'other processes use this database: work that a dead process held is released when its lease ends',
    );
  // A failed beat is not reported: others report that the database is away.
  let isAlone = false;
  const beats = every(deps.beatEveryMs ?? BEAT_EVERY_MS, async () => {
    isAlone = !(await beatProcess(db, row, FRESH_MS));
  });
  beats.start();
  return {
    alone: () => isAlone,
    async leave() {
      // A late beat would restore the row.
      await beats.stop();
      await deleteProcesses(db, [row.process_id]);
    },
  };
}

/** Roles of live processes; unknown: one is of a version that does not say. */
export type RolesAtWork = ReadonlySet<string> | 'unknown';

export async function rolesAtWork(q: Queryable): Promise<RolesAtWork> {
  const own = ownIdentity();
  const alive = (await listFreshRoles(q, FRESH_MS)).filter((each) => !isGone(each, own));
  if (alive.some(({ roles }) => roles === null)) return 'unknown';
  return new Set(alive.flatMap(({ roles }) => roles ?? []));
}

/** True only if certain: same kernel and pid namespace, and no such process. */
function isGone(other: Identity, own: Identity): boolean {
  if (own.boot_id === null || own.pid_namespace === null) return false;
  if (other.boot_id !== own.boot_id || other.pid_namespace !== own.pid_namespace) return false;
  return startedTicks(other.pid) !== other.started_ticks;
}

function ownIdentity(): Identity {
  const { pid } = process;
  try {
    return {
      boot_id: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
      pid_namespace: readlinkSync('/proc/self/ns/pid'),
      pid,
      started_ticks: startedTicks(pid),
    };
  } catch {
    return { boot_id: null, pid_namespace: null, pid, started_ticks: null };
  }
}

/** Field 22 of /proc/<pid>/stat; null: no such process, or a zombie. proc(5) */
function startedTicks(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name may contain anything: fields begin after its parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : Number(fields[19]);
  } catch {
    return null;
  }
}
