/**
 * SQL that finds a row again which the same statement found, and locks or has locked: by its place in the
 * table. By its key the planner would compare it with all rows of a table that it takes for empty, as after
 * each vacuum that found no rows and could not give back the pages.
 *
 * A row that another transaction changed since the statement began has another place, and is left out: only
 * for statements that come again. What is leased is found by its key: the extension of a lease and the record
 * of its result meet, and a row left out would pass for a lost lease. With Citus a row has no place that two
 * parts of a statement share.
 */
export function sameRow(distributed: boolean, key: 'message_id' | 'delivery_id') {
  return {
    /** A column of `q` to find its rows by; goes after others. */
    place: (q: string): string => (distributed ? '' : `, ${q}.ctid`),
    /** True in SQL if `q` is the row that `found` is; $1: the tenant. */
    is: (q: string, found: string): string =>
      distributed
        ? [`${q}.tenant_id = $1`, `${q}.${key} = ${found}.${key}`].join(' and ')
        : `${q}.ctid = ${found}.ctid`,
  };
}
