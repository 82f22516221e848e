/**
 * Starts work on items ahead of the one whose turn it is, at most `width` at a time, and takes the results in
 * the items' own order. Throws what a piece of work threw at its turn, after all that was started has ended.
 */
export async function workAhead<Item, Result>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  take: (item: Item, result: Result) => Promise<void>,
): Promise<void> {
  const started: { item: Item; result: Promise<Result> }[] = [];
  const takeOldest = async () => {
    const { item, result } = started.shift()!;
    await take(item, await result);
  };
  try {
    for (const item of items) {
      const result = work(item);
      // It may fail before its turn; that it did is seen then.
      result.catch(() => {});
      started.push({ item, result });
      if (started.length === width) await takeOldest();
    }
    while (started.length > 0) await takeOldest();
  } finally {
    await Promise.allSettled(started.map(({ result }) => result));
  }
}
