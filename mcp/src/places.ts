/** What a client holds: a connection, a request that is served, or the bytes of its body. */
interface Place {
  /** Networks of its client, outermost first. */
  readonly holders: readonly string[];
  /** Its client is waited for, or has shown nothing good yet: it may be given up. */
  waits(): boolean;
  giveUp(): void;
}

/**
 * When all are taken, the largest network gives up its oldest for whoever comes: the largest /48, in it the
 * largest /56, in that the largest /64.
 */
export function createPlaces(max: number) {
  /** With what each takes; oldest first. */
  const taken = new Map<Place, number>();
  const sizes = new Map<string, number>();
  let total = 0;

  function count({ holders }: Place, more: number): void {
    total += more;
    for (const holder of holders) {
      const size = (sizes.get(holder) ?? 0) + more;
      if (size === 0) sizes.delete(holder);
      else sizes.set(holder, size);
    }
  }

  function leave(place: Place): void {
    count(place, -(taken.get(place) ?? 0));
    taken.delete(place);
  }

  function isLarger(one: Place, other: Place): boolean {
    for (const [at, holder] of one.holders.entries()) {
      const more = sizes.get(holder)! - (sizes.get(other.holders[at] ?? '') ?? 0);
      if (more !== 0) return more > 0;
    }
    return false;
  }

  function oldestOfLargest(): Place | null {
    let found: Place | null = null;
    for (const each of taken.keys())
      if (each.waits() && (found === null || isLarger(each, found))) found = each;
    return found;
  }

  return {
    /** False: all are at work, or this is what was given up. */
    take(place: Place, more = 1): boolean {
      while (total + more > max) {
        const gone = oldestOfLargest();
        if (gone === null) return false;
        leave(gone);
        gone.giveUp();
        if (gone === place) return false;
      }
      taken.set(place, (taken.get(place) ?? 0) + more);
      count(place, more);
      return true;
    },
    leave,
  };
}

/** Keys that were good lately: hashes, by least recent use. */
export function createKnown(max: number) {
  const known = new Set<string>();
  return {
    has: (key: string) => known.has(key),
    add(key: string): void {
      known.delete(key);
      known.add(key);
      if (known.size > max) known.delete(known.values().next().value!);
    },
    forget: (key: string) => void known.delete(key),
  };
}

/** An IPv4 address and its /24; the /48, /56 and /64 of an IPv6 one, which one client has. RFC 6177 §2 */
export function holdersOf(address: string): readonly string[] {
  const mapped = /^::ffff:([\d.]{7,15})$/i.exec(address)?.[1];
  const ipv4 = mapped ?? (address.includes(':') ? undefined : address);
  if (ipv4 !== undefined) return [`${ipv4.slice(0, ipv4.lastIndexOf('.'))}.0/24`, ipv4];
  const [head = '', tail] = address.split('::');
  const first = head.split(':').filter((group) => group !== '');
  const last = tail === undefined ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last];
  const site = groups.slice(0, 3).join(':');
  const fourth = groups[3]!.padStart(4, '0');
  return [`${site}::/48`, `${site}:${fourth.slice(0, 2)}00::/56`, `${site}:${groups[3]}::/64`];
}
