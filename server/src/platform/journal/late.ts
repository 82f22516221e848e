import { type AcceptedKey, HASH_BYTES } from './accepted.ts';

/** Entries that wait until the journal can be written, in pages: each page is one write. */
export interface Page<Item> {
  readonly size: number;
  add(item: Item): void;
  items(): Item[];
}

export interface Dropped {
  readonly lost: number;
  readonly from: Date;
  readonly until: Date;
}

interface LateOptions<Item> {
  readonly createPage: () => Page<Item>;
  readonly max: number;
  readonly now: () => Date;
  append(items: readonly Item[]): Promise<void>;
  onFailed(error: unknown, waiting: number): void;
  onDropped(count: number): void;
  /** Writes down what was dropped, once it can. */
  tell(dropped: Dropped): Promise<void>;
}

export interface Late<Item> {
  add(items: readonly Item[]): void;
  waiting(): number;
  dropped(): number;
  close(): Promise<void>;
}

/** Items of a page: some 200 kB, which a slow disk writes within WRITE_LIMIT_MS. */
const PAGE_ITEMS = 4_096;
const RETRY_MS = 5_000;

interface Waiting<Item> {
  readonly page: Page<Item>;
  readonly from: Date;
  until: Date;
}

export function createLate<Item>(options: LateOptions<Item>): Late<Item> {
  const { createPage, max, now, append } = options;
  const pages: Waiting<Item>[] = [];
  let [waiting, dropped] = [0, 0];
  let untold: Dropped | null = null;
  let retry: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    try {
      while (pages.length > 0) {
        const first = pages[0]!;
        const items = first.page.items();
        await append(items);
        // Dropped, or filled up, meanwhile.
        if (pages[0] !== first) continue;
        if (first.page.size === items.length) pages.shift();
        else pages[0] = restOf(first, items.length, createPage());
        waiting -= items.length;
      }
      await tellDropped();
    } catch (error) {
      options.onFailed((error as Error).cause, waiting);
      retry ??= setTimeout(start, RETRY_MS).unref();
    }
  }

  async function tellDropped(): Promise<void> {
    while (untold !== null) {
      const told: Dropped = untold;
      await options.tell(told);
      untold = untold === told ? null : { ...untold, lost: untold.lost - told.lost };
    }
  }

  function start(): void {
    clearTimeout(retry);
    retry = undefined;
    running ??= writeAll().finally(() => {
      running = null;
    });
  }

  function dropFirst(): void {
    const { page, from, until } = pages.shift()!;
    waiting -= page.size;
    dropped += page.size;
    untold = { lost: (untold?.lost ?? 0) + page.size, from: untold?.from ?? from, until };
    options.onDropped(page.size);
  }

  return {
    add(items) {
      const at = now();
      for (const item of items) {
        let last = pages.at(-1);
        if (last === undefined || last.page.size >= PAGE_ITEMS) {
          last = { page: createPage(), from: at, until: at };
          pages.push(last);
        }
        last.page.add(item);
        last.until = at;
        waiting++;
        if (waiting > max) dropFirst();
      }
      if (retry === undefined) start();
    },
    waiting: () => waiting,
    dropped: () => dropped,
    async close() {
      await running;
      if (waiting > 0 || untold !== null) {
        start();
        await running;
      }
      clearTimeout(retry);
    },
  };
}

function restOf<Item>({ page, ...times }: Waiting<Item>, written: number, rest: Page<Item>): Waiting<Item> {
  for (const item of page.items().slice(written)) rest.add(item);
  return { page: rest, ...times };
}

export function createListPage<Item>(): Page<Item> {
  const items: Item[] = [];
  return {
    get size() {
      return items.length;
    },
    add: (item) => void items.push(item),
    items: () => items.slice(),
  };
}

const KEYS_AT_FIRST = 64;

/** Hashes next to each other: 40 bytes a key, where objects would take 200. */
export function createKeyPage(): Page<AcceptedKey> {
  const tenants: string[] = [];
  /** Each account's id once, whoever made the text. */
  const names = new Map<string, string>();
  let bytes = new Uint8Array(KEYS_AT_FIRST * HASH_BYTES);
  return {
    get size() {
      return tenants.length;
    },
    add({ tenantId, keySha256 }) {
      const at = tenants.length * HASH_BYTES;
      if (at === bytes.length) {
        const larger = new Uint8Array(2 * bytes.length);
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(keySha256, at);
      const name = names.get(tenantId) ?? tenantId;
      names.set(name, name);
      tenants.push(name);
    },
    items: () =>
      tenants.map((tenantId, n) => ({
        tenantId,
        keySha256: bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
      })),
  };
}
