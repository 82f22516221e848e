/** Roles: what is missing without each, and how to start one. Pure. */
export const ROLES = [
  'api',
  'portal',
  'submission',
  'delivery',
  'sealing',
  'webhooks',
  'return-path',
  'admin',
] as const;
export type Role = (typeof ROLES)[number];

/** Completes "no process has the role …:". */
export const WITHOUT: Readonly<Record<Role, string>> = {
  api: 'no program can send or read by HTTP',
  portal: 'nobody can sign in to the portal',
  submission: 'no program can send by SMTP',
  delivery:
    'nothing leaves the queue, nothing scheduled is sent and retention deletes nothing; a sandbox makes no account, key or mailbox',
  sealing: 'no batch is sealed or time-stamped, and no constancia is renewed',
  webhooks: 'no webhook is delivered',
  'return-path': 'no bounce or complaint is taken in',
  admin: 'no operator can sign in to the console',
};

export function lackingRoles(atWork: ReadonlySet<string>): Role[] {
  return ROLES.filter((role) => !atWork.has(role));
}

/** The embedded PostgreSQL serves one process only. */
export function howToStart(role: Role, hasDatabaseUrl: boolean): string {
  return hasDatabaseUrl
    ? `acuse serve with ACUSE_ROLES=${role}, or systemctl start acuse@${role}`
    : `acuse serve with ${role} in ACUSE_ROLES, in addition to the roles that it has`;
}
