/**
 * Who may hold how many of a worker's places. A receiver that does not answer holds a place for as long as an attempt may last,
 * so that a tenant may hold a share only, and an endpoint a window that shrinks while it does not answer and grows while it
 * does. Pure.
 */
export interface Places {
  /** How many more attempts may begin now. */
  room(tenantId: string, webhookId: string): number;
  take(tenantId: string, webhookId: string, count: number): void;
  /** `answered`: whether the receiver was there and willing; null: nothing was learnt. */
  leave(tenantId: string, webhookId: string, answered: boolean | null): void;
}

export interface PlacesOptions {
  readonly perTenant: number;
  /** Attempts at once to an endpoint: at first, and at most. */
  readonly windowStart: number;
  readonly windowMax: number;
}

/** Endpoints whose window is remembered; the one changed longest ago is forgotten first. */
const WINDOWS_MAX = 10_000;

export function createPlaces(options: PlacesOptions): Places {
  const tenants = new Map<string, number>();
  const endpoints = new Map<string, number>();
  const windows = new Map<string, number>();

  function windowOf(webhookId: string): number {
    return windows.get(webhookId) ?? options.windowStart;
  }

  function resize(webhookId: string, answered: boolean): void {
    const size = windowOf(webhookId);
    const next = answered ? Math.min(size + 1, options.windowMax) : Math.max(Math.floor(size / 2), 1);
    windows.delete(webhookId);
    if (windows.size >= WINDOWS_MAX) windows.delete(windows.keys().next().value!);
    windows.set(webhookId, next);
  }

  return {
    room(tenantId, webhookId) {
      const ofTenant = options.perTenant - (tenants.get(tenantId) ?? 0);
      const ofEndpoint = windowOf(webhookId) - (endpoints.get(webhookId) ?? 0);
      return Math.max(0, Math.min(ofTenant, ofEndpoint));
    },
    take(tenantId, webhookId, count) {
      add(tenants, tenantId, count);
      add(endpoints, webhookId, count);
    },
    leave(tenantId, webhookId, answered) {
      add(tenants, tenantId, -1);
      add(endpoints, webhookId, -1);
      if (answered !== null) resize(webhookId, answered);
    },
  };
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
