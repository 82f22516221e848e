/**
 * Scarce places (connections, sessions, streams), shared fairly. A newcomer always gets one; when full, the
 * largest holder gives one up, at each level: the largest /48, in it the largest /56, in that the largest
 * /64, there the oldest idle one. Members that did something valid are known and keep half of the places,
 * unless the other half needs none. Uses no clock, and memory in proportion to the places.
 */
interface FairPlacesOptions<Member> {
  readonly max: number;
  /** Default: all. */
  readonly maxOfOne?: number;
  /** True: it can be dropped without harm. A busy one is dropped if its holder has no idle one. */
  isIdle?(member: Member): boolean;
}

interface Holder<Member> {
  size: number;
  readonly holders: Map<string, Holder<Member>>;
  readonly members: Set<Member>;
}

interface Place {
  known: boolean;
  /** Outermost first. */
  holders: readonly string[];
}

/** Innermost holders remembered as known, by least recent use. */
export const KNOWN_HOLDERS_MAX = 4_096;

export class FairPlaces<Member extends object> {
  readonly #options: FairPlacesOptions<Member>;
  readonly #places = new Map<Member, Place>();
  readonly #known = newHolder<Member>();
  readonly #unknown = newHolder<Member>();
  readonly #knownHolders = new Set<string>();

  constructor(options: FairPlacesOptions<Member>) {
    this.#options = options;
  }

  get size(): number {
    return this.#places.size;
  }

  /**
   * Gives it a place. Returns whoever lost theirs: another member, or the new one. `known` defaults to
   * whether its innermost holder was known lately.
   */
  enter(
    member: Member,
    holders: readonly string[],
    known = this.#knownHolders.has(holders.at(-1)!),
  ): Member | null {
    const place = { known, holders };
    this.#places.set(member, place);
    const own = this.#add(member, place);
    const { max, maxOfOne = max } = this.#options;
    const over = own.size > maxOfOne ? own : this.size > max ? this.#overHalf() : null;
    if (over === null) return null;
    const gone = this.#leastDue(over);
    this.leave(gone);
    return gone;
  }

  /** It did something valid; `holders` replace its holders, such as an account for a network. */
  prove(member: Member, holders?: readonly string[]): void {
    const place = this.#places.get(member);
    if (place === undefined || place.known) return;
    this.#remember(place.holders.at(-1)!);
    this.#take(member, place);
    place.known = true;
    place.holders = holders ?? place.holders;
    this.#add(member, place);
  }

  leave(member: Member): void {
    const place = this.#places.get(member);
    if (place === undefined) return;
    this.#places.delete(member);
    this.#take(member, place);
  }

  /** Takes the next member in turn, known ones first: round robin over holders, oldest first. */
  next(among: 'all' | 'known' = 'all'): Member | null {
    const from = this.#known.size > 0 || among === 'known' ? this.#known : this.#unknown;
    if (from.size === 0) return null;
    const member = turnOf(from);
    this.leave(member);
    return member;
  }

  #overHalf(): Holder<Member> {
    return this.#unknown.size > this.#options.max / 2 ? this.#unknown : this.#known;
  }

  /** The member to drop: walks the largest holders of each level, then their busy members. */
  #leastDue(from: Holder<Member>): Member {
    let holder = from;
    while (holder.holders.size > 0) {
      let largest: Holder<Member> | null = null;
      for (const each of holder.holders.values())
        if (largest === null || each.size > largest.size) largest = each;
      holder = largest!;
    }
    const { isIdle } = this.#options;
    let oldest: Member | null = null;
    for (const member of holder.members) {
      if (isIdle === undefined || isIdle(member)) return member;
      oldest ??= member;
    }
    return oldest!;
  }

  #add(member: Member, { known, holders }: Place): Holder<Member> {
    let holder = known ? this.#known : this.#unknown;
    let outermost: Holder<Member> | null = null;
    holder.size++;
    for (const name of holders) {
      const inner = holder.holders.get(name) ?? newHolder();
      if (inner.size++ === 0) holder.holders.set(name, inner);
      outermost ??= inner;
      holder = inner;
    }
    holder.members.add(member);
    return outermost ?? holder;
  }

  #take(member: Member, { known, holders }: Place): void {
    let holder = known ? this.#known : this.#unknown;
    holder.size--;
    for (const name of holders) {
      const inner = holder.holders.get(name)!;
      inner.size--;
      if (inner.size === 0) holder.holders.delete(name);
      holder = inner;
    }
    holder.members.delete(member);
  }

  #remember(innermost: string): void {
    this.#knownHolders.delete(innermost);
    this.#knownHolders.add(innermost);
    if (this.#knownHolders.size > KNOWN_HOLDERS_MAX)
      this.#knownHolders.delete(this.#knownHolders.values().next().value!);
  }
}

function newHolder<Member>(): Holder<Member> {
  return { size: 0, holders: new Map(), members: new Set() };
}

/** The holder goes to the end of the line. */
function turnOf<Member>(holder: Holder<Member>): Member {
  for (const [name, inner] of holder.holders) {
    holder.holders.delete(name);
    holder.holders.set(name, inner);
    return turnOf(inner);
  }
  return holder.members.values().next().value!;
}
