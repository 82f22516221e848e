/**
 * SQL: due at $2 without a lease, or with an expired one. A leased message's `due_at` is the end of its
 * lease, so that one index finds both. `q`: the queue's alias.
 */
export const isDue = (q: string): string =>
  `${q}.due_at <= greatest($2::timestamptz, now()) and coalesce(${q}.leased_until <= now(), ${q}.due_at <= $2)`;
