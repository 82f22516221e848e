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
import { LEASE_MS } from './leases.ts';
import type { LoopLog } from './logger.ts';

/**
 * This process among those that work on the same database. One that starts and finds that no other is left
 * frees what is leased: after a crash and a restart nothing waits for the leases of the dead to end. When in
 * doubt another counts as alive, and leases end by themselves soon enough.
 */
export interface OwnProcess {
  /** No other process was heard of lately; it takes a beat to hear of one. */
  alone(): boolean;
  /** Takes the row away. */
  leave(): Promise<void>;
}

export interface EnterDeps {
  readonly db: Db;
  readonly log: LoopLog & { info(fields: object, message: string): void };
  /** What it does, for others to know. */
  readonly roles: readonly string[];
  /** Ends all leases, of any holder. */
  freeLeases(tx: Tx): Promise<void>;
  /** Of this process; from the system unless said otherwise. */
  readonly identity?: Identity;
  /** BEAT_EVERY_MS unless a test says otherwise. */
  readonly beatEveryMs?: number;
}

/** Which process on which running kernel; nulls where the system does not tell. */
export type Identity = Omit<ProcessRow, 'process_id' | 'fresh'>;

export const BEAT_EVERY_MS = 5_000;
/** Not heard of for so long: whatever it held has ended. */
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
  // A beat that fails is not news: a database that is away is reported by all who need it.
  let isAlone = false;
  const beats = every(deps.beatEveryMs ?? BEAT_EVERY_MS, async () => {
    isAlone = !(await beatProcess(db, row, FRESH_MS));
  });
  beats.start();
  return {
    alone: () => isAlone,
    async leave() {
      // A beat after the deletion would bring the row back.
      await beats.stop();
      await deleteProcesses(db, [row.process_id]);
    },
  };
}

/** All roles that a living process has; unknown: one of them is of a version that does not say. */
export type RolesAtWork = ReadonlySet<string> | 'unknown';

export async function rolesAtWork(q: Queryable): Promise<RolesAtWork> {
  const own = ownIdentity();
  const alive = (await listFreshRoles(q, FRESH_MS)).filter((each) => !isGone(each, own));
  if (alive.some(({ roles }) => roles === null)) return 'unknown';
  return new Set(alive.flatMap(({ roles }) => roles ?? []));
}

/**
 * True only for certain: on this very kernel, in this namespace of processes, there is no such process any
 * more.
 */
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

/**
 * Field 22 of /proc/<pid>/stat; null: there is no such process, or it has ended and waits to be reaped.
 * proc(5)
 */
function startedTicks(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything: the fields begin after its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : Number(fields[19]);
  } catch {
    return null;
  }
}
