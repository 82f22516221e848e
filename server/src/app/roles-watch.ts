import { howToStart, lackingRoles, WITHOUT } from '../config/role-duties.ts';
import type { Db } from '../platform/database/db.ts';
import { every, type Repeating } from '../platform/every.ts';
import { BEAT_EVERY_MS, rolesAtWork } from '../platform/processes.ts';
import type { Services } from './services.ts';

/** Processes that start together have all entered by this look. */
const JUDGED_AT_LOOK = 2;

export interface RolesDeps {
  readonly config: Pick<Services['config'], 'roles' | 'databaseUrl'>;
  readonly db: Db;
  readonly log: { warn(fields: object, message: string): void };
  /** BEAT_EVERY_MS unless a test says otherwise. */
  readonly lookEveryMs?: number;
}

/**
 * Says once, soon after the start of a process that lacks roles, which of them no process has. Null: it has
 * them all. Of a process of another version nothing is known, and then nothing is said.
 */
export function watchRoles({ config, db, log, lookEveryMs = BEAT_EVERY_MS }: RolesDeps): Repeating | null {
  if (lackingRoles(new Set(config.roles)).length === 0) return null;
  let looks = 0;
  const watch = every(lookEveryMs, async () => {
    looks++;
    if (looks < JUDGED_AT_LOOK) return;
    const atWork = await rolesAtWork(db);
    // Not awaited: it waits for this very look.
    void watch.stop();
    if (atWork === 'unknown') return;
    const roles = lackingRoles(atWork);
    if (roles.length === 0) return;
    const each = roles.map(
      (role) =>
        `no process has the role ${role}: ${WITHOUT[role]}. Start ${howToStart(role, config.databaseUrl !== null)}`,
    );
    log.warn({ roles }, each.join('; '));
  });
  return watch;
}
