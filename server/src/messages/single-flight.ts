/** Concurrent sends with one key share its result: one commit instead of a hundred. */
interface SingleFlightOptions<Item, Outcome> {
  submit(item: Item): Promise<Outcome>;
  keyOf(item: Item): string | null;
  /** The first outcome for its followers; null: the next one tries. */
  follow(outcome: Outcome): Outcome | null;
}

export function createSingleFlight<Item, Outcome>(
  options: SingleFlightOptions<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const underWay = new Map<string, Promise<Outcome>>();

  function lead(key: string, item: Item): Promise<Outcome> {
    const own = options.submit(item);
    underWay.set(key, own);
    // Before all waiting followers.
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
