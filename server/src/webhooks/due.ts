/**
 * As SQL: due by the caller's now (`at`: its place), or with a lease that has ended by the database's clock,
 * which is the one that counts there. `q`: what the columns are called by.
 */
export const isDue = (at: string, q = ''): string =>
  `${q}due_at <= greatest(${at}::timestamptz, now()) and (${q}due_at <= now() or (${q}lease_id is null and ${q}due_at <= ${at}))`;
