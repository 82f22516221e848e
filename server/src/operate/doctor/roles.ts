import type { Role } from '../../config/role-duties.ts';
import { howToStart, lackingRoles, WITHOUT } from '../../config/role-duties.ts';
import { type RolesAtWork, rolesAtWork } from '../../platform/processes.ts';
import type { Group } from './examine.ts';
import { type Finding, type FindingStatus, fault, ok } from './finding.ts';

export const roles: Group = async ({ db, config }) =>
  db === null ? [] : judgeRoles(await rolesAtWork(db), config.databaseUrl !== null);

/** Optional roles are advice. */
const WORTH: Readonly<Record<Role, Exclude<FindingStatus, 'ok' | 'unknown'>>> = {
  api: 'warning',
  portal: 'advice',
  submission: 'advice',
  delivery: 'problem',
  sealing: 'problem',
  webhooks: 'problem',
  'return-path': 'warning',
  admin: 'advice',
};

const ALL = ['role.all', 'processes'] as const;

export function judgeRoles(atWork: RolesAtWork, hasDatabaseUrl: boolean): Finding[] {
  if (atWork === 'unknown')
    return [
      fault(
        'unknown',
        ALL,
        'A process of an earlier version does not say which roles it has.',
        'replace it with this version',
      ),
    ];
  if (atWork.size === 0)
    return [
      fault(
        'warning',
        ALL,
        'No process works on this database; one in recovery does not count.',
        'acuse serve, or systemctl start acuse; acuse restore check says whether it is in recovery',
      ),
    ];
  const lacking = lackingRoles(atWork);
  if (lacking.length === 0) return [ok(...ALL, 'Each has a process.')];
  return lacking.map((role) =>
    fault(
      WORTH[role],
      [`role.${role}`, role],
      `No process has this role: ${WITHOUT[role]}.`,
      `start ${howToStart(role, hasDatabaseUrl)}`,
    ),
  );
}
