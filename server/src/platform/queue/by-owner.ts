export function byOwner<T>(items: readonly T[], ownerOf: (item: T) => string | undefined): T[][] {
  const owners = new Map<string | undefined, T[]>();
  for (const item of items) {
    const owner = ownerOf(item);
    const own = owners.get(owner);
    if (own === undefined) owners.set(owner, [item]);
    else own.push(item);
  }
  return [...owners.values()];
}
