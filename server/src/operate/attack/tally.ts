/** Counts of results: `401`, `429`, `no connection`. */
export type Tally = Readonly<Record<string, number>>;

export class Counts {
  readonly #seen = new Map<string, number>();
  add(what: string | number): void {
    this.#seen.set(String(what), (this.#seen.get(String(what)) ?? 0) + 1);
  }
  tally(): Tally {
    return Object.fromEntries([...this.#seen].sort(([, one], [, other]) => other - one));
  }
}
