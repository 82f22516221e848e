/**
 * SQL: due by the caller's now (`at`: its parameter), or with a lease that expired by the database's clock.
 * `q`: the alias.
 */
export const isDue = (at: string, q = ''): string =>
  `${q}due_at <= greatest(${at}::timestamptz, now()) and (${q}due_at <= now() or (${q}lease_id is null and ${q}due_at <= ${at}))`;
