/**
 * A list whose rows stay where they are, although they change and others come: rows that were read again are
 * shown as they are now, and new ones are counted, for a button that shows them.
 */
export function mergeNewest<Row extends { readonly id: string }>(
  shown: readonly Row[],
  newest: readonly Row[],
): { readonly rows: readonly Row[]; readonly newRows: number } {
  const newestById = new Map(newest.map((row) => [row.id, row]));
  const shownIds = new Set(shown.map(({ id }) => id));
  const firstKnown = newest.findIndex(({ id }) => shownIds.has(id));
  return {
    rows: shown.map((row) => newestById.get(row.id) ?? row),
    newRows: firstKnown === -1 ? newest.length : firstKnown,
  };
}
