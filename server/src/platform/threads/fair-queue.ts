export interface QueueLimits {
  readonly items: number;
  readonly bytes: number;
  readonly itemsPerTenant: number;
  readonly bytesPerTenant: number;
}

interface Share {
  items: number;
  bytes: number;
}

/**
 * Bounded in count and bytes, in all and per tenant; tenants take turns. Taken items count until released.
 */
export class FairQueue<Item extends { readonly tenantId: string; readonly bytes: number }> {
  private readonly limits: QueueLimits;
  private readonly waiting = new Map<string, Item[]>();
  private readonly held = new Map<string, Share>();
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

  /**
   * The items that have no place now. When all is full, the tenant with most gives up what it offered last,
   * or the new one has none. A single item is accepted whatever its size.
   */
  offer(item: Item): Item[] {
    const { limits } = this;
    const own = this.held.get(item.tenantId) ?? { items: 0, bytes: 0 };
    if (own.items >= limits.itemsPerTenant) return [item];
    if (own.items > 0 && own.bytes + item.bytes > limits.bytesPerTenant) return [item];
    const gone: Item[] = [];
    while (this.items > 0 && (this.items >= limits.items || this.bytes + item.bytes > limits.bytes)) {
      const last = this.lastOfLargest({ items: own.items + 1, bytes: own.bytes + item.bytes });
      if (last === undefined) return [...gone, item];
      gone.push(last);
    }
    this.count(item, 1);
    const line = this.waiting.get(item.tenantId);
    if (line === undefined) this.waiting.set(item.tenantId, [item]);
    else line.push(item);
    this.waitingItems++;
    return gone;
  }

  /** Takes an item from an owner with more than `than` of the scarce resource. */
  private lastOfLargest(than: Share): Item | undefined {
    const scarce = this.items >= this.limits.items ? 'items' : 'bytes';
    let largest: string | null = null;
    let most = than[scarce];
    for (const tenantId of this.waiting.keys()) {
      const size = this.held.get(tenantId)![scarce];
      if (size <= most) continue;
      largest = tenantId;
      most = size;
    }
    if (largest === null) return undefined;
    const line = this.waiting.get(largest)!;
    const last = line.pop()!;
    if (line.length === 0) this.waiting.delete(largest);
    this.waitingItems--;
    this.count(last, -1);
    return last;
  }

  /** The next item of the next tenant that may run one. */
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
