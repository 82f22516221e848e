/**
 * Scarce places, shared fairly: connections, sessions, streams, turns. Whoever comes gets one. When there are
 * too many, the largest holder gives one up, at each level of what holds it: of the networks the largest /48,
 * in it the largest /56, in that the largest /64, and there the oldest that is idle. Those who did something
 * valid are known, and have half of the places against those who did not; neither half stays empty while the
 * other needs it. Keeps no time, and as much memory as there are places.
 */
export interface FairPlacesOptions<Member> {
  readonly max: number;
  /** Places of one outermost holder; no more than all without it. */
  readonly maxOfOne?: number;
  /** Whether a member can go without harm. It goes all the same when its holder has no other. */
  isIdle?(member: Member): boolean;
}

interface Holder<Member> {
  size: number;
  readonly holders: Map<string, Holder<Member>>;
  /** In the order in which they came. */
  readonly members: Set<Member>;
}

interface Place {
  known: boolean;
  /** Outermost first. */
  holders: readonly string[];
}

/** Innermost holders that are remembered as known; the one known longest is forgotten first. */
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
   * Gives it a place. Returns who has none any more, because it made room: another, or the new one itself.
   * `known`: as a rule, whether somebody of its innermost holder was known lately.
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

  /** It did something valid, and is held by `holders` from now on: by an account in place of a network. */
  prove(member: Member, holders?: readonly string[]): void {
    const place = this.#places.get(member);
    if (place === undefined || place.known) return;
    this.#remember(place.holders.at(-1)!);
    this.#take(member, place);
    place.known = true;
    place.holders = holders ?? place.holders;
    this.#add(member, place);
  }

  /** One that has no place changes nothing. */
  leave(member: Member): void {
    const place = this.#places.get(member);
    if (place === undefined) return;
    this.#places.delete(member);
    this.#take(member, place);
  }

  /** Takes out whose turn it is, known ones first: of each holder one after the other, the oldest of each. */
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

  /** Who goes: a walk over the holders of each level, and over the members of one that are not idle. */
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

  /** Returns its outermost holder. */
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

/** The holder whose turn it was waits for all others before it has another. */
function turnOf<Member>(holder: Holder<Member>): Member {
  for (const [name, inner] of holder.holders) {
    holder.holders.delete(name);
    holder.holders.set(name, inner);
    return turnOf(inner);
  }
  return holder.members.values().next().value!;
}
