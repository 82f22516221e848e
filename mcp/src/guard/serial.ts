/** One at a time under one name: two sends at once must not both count the same free place. */
export class Serial {
  /** Name → end of the last task in line; removed when nobody waits. */
  readonly #ends = new Map<string, Promise<unknown>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(name) ?? Promise.resolve();
    const mine = before.then(task, task);
    const settled = mine.catch(() => undefined);
    this.#ends.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.#ends.get(name) === settled) this.#ends.delete(name);
    }
  }
}
