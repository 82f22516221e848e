import { Counts } from '../platform/counts.ts';
import { LightAbort, type Stop } from '../platform/light-abort.ts';

/**
 * Concurrency limits. A quick answer needs a place briefly, a hanging endpoint for a whole time-out. So after
 * `stallAfterMs` an attempt moves to a slow lane: places come free however many endpoints hang. A tenant has
 * a share only, and an endpoint a window that shrinks when it does not answer.
 */
export interface ConcurrencyLimits {
  room(tenantId: string, webhookId: string): number;
  isProven(webhookId: string): boolean;
  isRoomy(): boolean;
  isHalfFree(endpoint: Endpoint): boolean;
  /** Endpoints with room in turn order, and the attempts that each may begin. */
  turns(endpoints: readonly Endpoint[]): { order: Endpoint[]; each: number };
  begin(tenantId: string, webhookId: string): Place;
}

export interface Endpoint {
  readonly tenantId: string;
  readonly webhookId: string;
}

export interface Place {
  /** Aborts when it has waited longest in a full lane. */
  readonly cut: Stop;
  /** `answered`: whether the receiver answered willingly; null: unknown. */
  leave(answered: boolean | null): void;
}

interface ConcurrencyOptions {
  /** Concurrent attempts younger than `stallAfterMs`. */
  readonly fast: number;
  /** The part of `fast` that is reserved for quick endpoints. */
  readonly reserved: number;
  /** The most of `fast` that slow endpoints may use. */
  readonly suspects: number;
  /** Concurrent attempts in the slow lane. */
  readonly stalled: number;
  readonly stallAfterMs: number;
  /** Per tenant, both lanes: while its next is to a quick endpoint, and otherwise. */
  readonly perTenantProven: number;
  readonly perTenant: number;
  /** Concurrent attempts per endpoint: at first, and at most. */
  readonly windowStart: number;
  readonly windowMax: number;
  /** A place came free without an end of an attempt. */
  onRoom(): void;
}

/** New endpoints are unknown. */
type Standing = 'proven' | 'unknown' | 'suspect';

const KNOWN_MAX = 10_000;
/** A tenant's attempts to suspects, once half of the slow lane is taken. */
const PER_TENANT_UNDER_PRESSURE = 4;

/** Gathers freed places (ms). */
const TELL_ROOM_MS = 25;

interface Known {
  readonly window: number;
  readonly standing: Standing;
  readonly turn: number;
}

interface Held extends Endpoint {
  readonly standing: Standing;
  readonly cut: LightAbort;
}

export function createConcurrencyLimits(options: ConcurrencyOptions): ConcurrencyLimits {
  const tenants = new Counts();
  const endpoints = new Counts();
  const { knownOf, remember } = createMemory(options.windowStart);
  const fast = { proven: 0, unknown: 0, suspect: 0 };
  const stalled = new Set<Held>();
  const tellRoom = createTelling(options.onRoom);
  let turn = 0;

  function freeFor(standing: Standing): number {
    const unproven = fast.unknown + fast.suspect;
    const free = options.fast - fast.proven - unproven;
    if (standing === 'proven') return free;
    const shared = Math.min(free, options.fast - options.reserved - unproven);
    return standing === 'unknown' ? shared : Math.min(shared, options.suspects - fast.suspect);
  }

  function room(tenantId: string, webhookId: string): number {
    const { window, standing } = knownOf(webhookId);
    const pressed = standing === 'suspect' && stalled.size * 2 >= options.stalled;
    const share = standing === 'proven' ? options.perTenantProven : options.perTenant;
    const ofTenant = (pressed ? PER_TENANT_UNDER_PRESSURE : share) - tenants.of(tenantId);
    const ofEndpoint = window - endpoints.of(webhookId);
    return Math.max(0, Math.min(ofTenant, ofEndpoint, freeFor(standing)));
  }

  return {
    room,
    isRoomy: () => freeFor('unknown') * 2 >= options.fast - options.reserved,
    isProven: (webhookId) => knownOf(webhookId).standing === 'proven',

    isHalfFree: ({ webhookId }) => endpoints.of(webhookId) * 2 <= knownOf(webhookId).window,

    turns(all) {
      const open = all.filter(({ tenantId, webhookId }) => room(tenantId, webhookId) > 0);
      const rank = ({ tenantId, webhookId }: Endpoint) => {
        const { standing, turn: last } = knownOf(webhookId);
        return [STANDINGS.indexOf(standing), tenants.of(tenantId), last] as const;
      };
      const ranked = open.map((endpoint) => [endpoint, rank(endpoint)] as const);
      ranked.sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
      // Breadth first: new endpoints get one attempt each before any gets its window.
      const each = Math.max(1, Math.floor(freeFor('unknown') / Math.max(1, open.length)));
      return { order: ranked.map(([endpoint]) => endpoint), each };
    },

    begin(tenantId, webhookId) {
      const { standing } = knownOf(webhookId);
      const held: Held = { tenantId, webhookId, standing, cut: new LightAbort() };
      tenants.add(tenantId, 1);
      endpoints.add(webhookId, 1);
      fast[standing]++;
      remember(webhookId, { turn: ++turn });
      const timer = setTimeout(() => {
        fast[standing]--;
        stalled.add(held);
        remember(webhookId, { standing: 'suspect' });
        if (stalled.size > options.stalled) cutOne(stalled);
        tellRoom();
      }, options.stallAfterMs);
      return {
        cut: held.cut.signal,
        leave(answered) {
          clearTimeout(timer);
          const late = stalled.delete(held);
          if (!late) fast[standing]--;
          tenants.add(tenantId, -1);
          endpoints.add(webhookId, -1);
          if (answered === null) return;
          const { window } = knownOf(webhookId);
          const resized = answered
            ? Math.min(window + 1, options.windowMax)
            : Math.max(Math.floor(window / 2), 1);
          remember(webhookId, { window: resized, standing: answered && !late ? 'proven' : 'suspect' });
        },
      };
    },
  };
}

function createMemory(windowStart: number) {
  const known = new Map<string, Known>();

  const knownOf = (webhookId: string): Known =>
    known.get(webhookId) ?? { window: windowStart, standing: 'unknown', turn: 0 };

  function remember(webhookId: string, change: Partial<Known>): void {
    const next = { ...knownOf(webhookId), ...change };
    known.delete(webhookId);
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!);
    known.set(webhookId, next);
  }

  return { knownOf, remember };
}

/** Aborts the longest wait of the tenant with most. `stalled`: oldest first. */
function cutOne(stalled: ReadonlySet<Held>): void {
  const counts = new Map<string, number>();
  for (const { tenantId } of stalled) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  for (const held of stalled) {
    if (counts.get(held.tenantId) !== most || held.cut.signal.aborted) continue;
    held.cut.abort(new Error('no answer, while too many other deliveries waited as long'));
    return;
  }
}

/** Attempts that stall together are reported once. */
function createTelling(onRoom: () => void): () => void {
  let telling: NodeJS.Timeout | undefined;
  return () => {
    if (telling !== undefined) return;
    telling = setTimeout(() => {
      telling = undefined;
      onRoom();
    }, TELL_ROOM_MS);
  };
}

const STANDINGS: readonly Standing[] = ['proven', 'unknown', 'suspect'];
