/**
 * As SQL: due at $2 and nobody's, or with a lease that has ended by the database's clock. `due_at` of a
 * leased message is its lease's end, so that one index finds both. `q`: the queue's name in the statement.
 */
export const isDue = (q: string): string =>
  `${q}.due_at <= greatest($2::timestamptz, now()) and coalesce(${q}.leased_until <= now(), ${q}.due_at <= $2)`;
