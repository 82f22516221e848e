import { Counts } from '../../platform/counts.ts';

interface KeptLimits {
  readonly bytes: number;
  readonly bytesPerTenant: number;
  readonly itemBytes: number;
  /** Longest time kept (ms): bounds how long erased content stays in memory. */
  readonly ageMs: number;
}

const TOTAL_MAX_BYTES = 64 * 1024 * 1024;
const ACCOUNT_MAX_BYTES = 32 * 1024 * 1024;
const ITEM_MAX_BYTES = 8 * 1024 * 1024;
const KEPT_MAX_MS = 300_000;

const LIMITS: KeptLimits = {
  bytes: TOTAL_MAX_BYTES,
  bytesPerTenant: ACCOUNT_MAX_BYTES,
  itemBytes: ITEM_MAX_BYTES,
  ageMs: KEPT_MAX_MS,
};

interface Kept {
  readonly tenantId: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * One entry per place, identified by its version; a new version replaces it. Least recently used goes first.
 */
export class ByteCache {
  private readonly limits: KeptLimits;
  /** In order of last use. */
  private readonly kept = new Map<string, Kept>();
  private readonly held = new Counts();
  private bytes = 0;

  constructor(limits: Partial<KeptLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.kept.size;
  }

  find(tenantId: string, place: string, name: string): Uint8Array | null {
    const key = `${tenantId}/${place}`;
    const found = this.kept.get(key);
    if (found === undefined) return null;
    if (found.name !== name) {
      // Outdated.
      this.drop(key, found);
      return null;
    }
    this.kept.delete(key);
    this.kept.set(key, found);
    return found.bytes;
  }

  forget(tenantId: string, place: string): void {
    const key = `${tenantId}/${place}`;
    const found = this.kept.get(key);
    if (found !== undefined) this.drop(key, found);
  }

  keep(tenantId: string, place: string, name: string, bytes: Uint8Array): void {
    const { limits } = this;
    if (bytes.length > limits.itemBytes) return;
    const key = `${tenantId}/${place}`;
    const before = this.kept.get(key);
    if (before !== undefined) this.drop(key, before);
    this.makeRoom(
      (kept) => kept.tenantId === tenantId,
      () => this.held.of(tenantId) + bytes.length > limits.bytesPerTenant,
    );
    this.makeRoom(
      () => true,
      () => this.bytes + bytes.length > limits.bytes,
    );
    const made: Kept = { tenantId, name, bytes };
    this.kept.set(key, made);
    this.count(tenantId, bytes.length);
    setTimeout(() => {
      if (this.kept.get(key) === made) this.drop(key, made);
    }, limits.ageMs).unref();
  }

  private makeRoom(of: (kept: Kept) => boolean, full: () => boolean): void {
    for (const [key, each] of this.kept) {
      if (!full()) return;
      if (of(each)) this.drop(key, each);
    }
  }

  private drop(key: string, { tenantId, bytes }: Kept): void {
    this.kept.delete(key);
    this.count(tenantId, -bytes.length);
  }

  private count(tenantId: string, bytes: number): void {
    this.bytes += bytes;
    this.held.add(tenantId, bytes);
  }
}
