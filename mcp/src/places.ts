/** What a client holds: a connection, or a request that is served. */
interface Place {
  readonly network: string;
  /** Its client is waited for: it may be given up. */
  waits(): boolean;
  giveUp(): void;
}

/** When all are taken, the network with most of them gives up its oldest for whoever comes. */
export function createPlaces(max: number) {
  /** Oldest first. */
  const taken = new Set<Place>();
  const sizes = new Map<string, number>();

  function leave(place: Place): void {
    if (!taken.delete(place)) return;
    const size = sizes.get(place.network)! - 1;
    if (size === 0) sizes.delete(place.network);
    else sizes.set(place.network, size);
  }

  function oldestOfLargest(): Place | null {
    let found: Place | null = null;
    for (const each of taken)
      if (each.waits() && (found === null || sizes.get(each.network)! > sizes.get(found.network)!))
        found = each;
    return found;
  }

  return {
    /** False: all are at work. */
    enter(place: Place): boolean {
      if (taken.size >= max) {
        const gone = oldestOfLargest();
        if (gone === null) return false;
        leave(gone);
        gone.giveUp();
      }
      taken.add(place);
      sizes.set(place.network, (sizes.get(place.network) ?? 0) + 1);
      return true;
    },
    leave,
  };
}

/** An IPv4 address, or the /64 of an IPv6 one, which one client has. RFC 6177 §2 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]{7,15})$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('::');
  const first = head.split(':').filter((group) => group !== '');
  const last = tail === undefined ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
