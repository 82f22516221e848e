export interface QueueLimits {
  readonly items: number;
  readonly bytes: number;
  readonly itemsPerTenant: number;
  readonly bytesPerTenant: number;
}

/**
 * Bounded in count and bytes, in all and per tenant; tenants take turns. Taken items count until released.
 */
export class FairQueue<Item extends { readonly tenantId: string; readonly bytes: number }> {
  private readonly limits: QueueLimits;
  /** In turn order. */
  private readonly waiting = new Map<string, Item[]>();
  private readonly held = new Map<string, { items: number; bytes: number }>();
  private items = 0;
  private bytes = 0;
  private waitingItems = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.waitingItems;
  }

  get heldBytes(): number {
    return this.bytes;
  }

  /** False when full. A single item is accepted whatever its size. */
  offer(item: Item): boolean {
    const { limits } = this;
    const own = this.held.get(item.tenantId) ?? { items: 0, bytes: 0 };
    if (this.items >= limits.items || own.items >= limits.itemsPerTenant) return false;
    if (own.items > 0 && own.bytes + item.bytes > limits.bytesPerTenant) return false;
    if (this.items > 0 && this.bytes + item.bytes > limits.bytes) return false;
    this.count(item, 1);
    const line = this.waiting.get(item.tenantId);
    if (line === undefined) this.waiting.set(item.tenantId, [item]);
    else line.push(item);
    this.waitingItems++;
    return true;
  }

  /** The next item of the next tenant that may have one. */
  take(mayTake: (tenantId: string) => boolean): Item | undefined {
    for (const [tenantId, line] of this.waiting) {
      if (!mayTake(tenantId)) continue;
      const item = line.shift()!;
      this.waiting.delete(tenantId);
      if (line.length > 0) this.waiting.set(tenantId, line);
      this.waitingItems--;
      return item;
    }
    return undefined;
  }

  release(item: Item): void {
    this.count(item, -1);
  }

  clear(): Item[] {
    const all = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.waitingItems = 0;
    for (const item of all) this.count(item, -1);
    return all;
  }

  private count(item: Item, sign: 1 | -1): void {
    const own = this.held.get(item.tenantId) ?? { items: 0, bytes: 0 };
    own.items += sign;
    own.bytes += sign * item.bytes;
    if (own.items === 0) this.held.delete(item.tenantId);
    else this.held.set(item.tenantId, own);
    this.items += sign;
    this.bytes += sign * item.bytes;
  }
}
