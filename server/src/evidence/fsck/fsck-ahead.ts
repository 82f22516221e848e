/**
 * Works ahead on up to `width` items and yields results in order. Throws an item's error in its turn, once
 * all started work has ended.
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
      // A failure is seen in its turn.
      result.catch(() => {});
      started.push({ item, result });
      if (started.length === width) await takeOldest();
    }
    while (started.length > 0) await takeOldest();
  } finally {
    await Promise.allSettled(started.map(({ result }) => result));
  }
}
