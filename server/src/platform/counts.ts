/** How many there are, or how much there is, of each key. One that has nothing left takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Less: a negative number. Returns what there is then. */
  add(key: string, more: number): number {
    const count = this.of(key) + more;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    return count;
  }

  /** Keys that have any. */
  get size(): number {
    return this.#counts.size;
  }
}
