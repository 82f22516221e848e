import { howToStart, lackingRoles, WITHOUT } from '../config/role-duties.ts';
import type { Db } from '../platform/database/db.ts';
import { every, type Repeating } from '../platform/every.ts';
import { BEAT_EVERY_MS, rolesAtWork } from '../platform/processes.ts';
import type { Services } from './services.ts';

const JUDGED_AT_LOOK = 2;

interface RolesDeps {
  readonly config: Pick<Services['config'], 'roles' | 'databaseUrl'>;
  readonly db: Db;
  readonly log: { warn(fields: object, message: string): void };
  readonly lookEveryMs?: number;
}

/** Reports once which roles no process has. Null: this one has all. Says nothing if another version runs. */
export function watchRoles({ config, db, log, lookEveryMs = BEAT_EVERY_MS }: RolesDeps): Repeating | null {
  if (lackingRoles(new Set(config.roles)).length === 0) return null;
  let looks = 0;
  const watch = every(lookEveryMs, async () => {
    looks++;
    if (looks < JUDGED_AT_LOOK) return;
    const atWork = await rolesAtWork(db);
    // Not awaited: it waits for this call.
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
