/**
 * Lets those that come with the key of one that is under way wait for what becomes of it: a hundred at once
 * with one key are one commit and a hundred answers, not a hundred commits in turn.
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
  const underWay = new Map<string, Promise<Outcome | null>>();

  function lead(key: string, item: Item): Promise<Outcome> {
    const own = options.submit(item);
    const told = own.finally(() => underWay.delete(key)).then(options.follow);
    // Whoever follows hears of it; nobody may.
    told.catch(() => {});
    underWay.set(key, told);
    return own;
  }

  return function submit(item: Item): Promise<Outcome> {
    const key = options.keyOf(item);
    if (key === null) return options.submit(item);
    const first = underWay.get(key);
    return first === undefined ? lead(key, item) : first.then((outcome) => outcome ?? submit(item));
  };
}
