/**
 * Lets sends that come with the key of one under way wait for its result: a hundred at once with one key are
 * one commit and a hundred answers, not a hundred commits in turn.
 */
export interface FollowersOptions<Item, Outcome> {
  submit(item: Item): Promise<Outcome>;
  /** Null for one that nobody follows. */
  keyOf(item: Item): string | null;
  /**
   * What the outcome of the first means for those that came with its key; null when it means nothing, and the
   * next is to try.
   */
  follow(outcome: Outcome): Outcome | null;
}

export function createFollowers<Item, Outcome>(
  options: FollowersOptions<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const underWay = new Map<string, Promise<Outcome>>();

  function lead(key: string, item: Item): Promise<Outcome> {
    const own = options.submit(item);
    underWay.set(key, own);
    // First of all that wait for it, so that the key is free for a follower that has to try.
    const forget = () => underWay.delete(key);
    own.then(forget, forget);
    return own;
  }

  return function submit(item: Item): Promise<Outcome> {
    const key = options.keyOf(item);
    if (key === null) return options.submit(item);
    const first = underWay.get(key);
    if (first === undefined) return lead(key, item);
    return first.then((outcome) => options.follow(outcome) ?? submit(item));
  };
}
