/**
 * Who may hold how many of a worker's places. A receiver that does not answer holds its places for as long as an attempt may
 * last, so that no endpoint, and no tenant with many of them, may hold more than a share. Pure.
 */
export interface Places {
  /** How many more attempts may begin now. */
  room(tenantId: string, webhookId: string, perEndpoint?: number): number;
  take(tenantId: string, webhookId: string, count: number): void;
  leave(tenantId: string, webhookId: string): void;
}

export interface PlacesOptions {
  readonly perTenant: number;
  readonly perEndpoint: number;
}

export function createPlaces(options: PlacesOptions): Places {
  const tenants = new Map<string, number>();
  const endpoints = new Map<string, number>();

  return {
    room(tenantId, webhookId, perEndpoint = options.perEndpoint) {
      const ofTenant = options.perTenant - (tenants.get(tenantId) ?? 0);
      const ofEndpoint = perEndpoint - (endpoints.get(webhookId) ?? 0);
      return Math.max(0, Math.min(ofTenant, ofEndpoint));
    },
    take(tenantId, webhookId, count) {
      add(tenants, tenantId, count);
      add(endpoints, webhookId, count);
    },
    leave(tenantId, webhookId) {
      add(tenants, tenantId, -1);
      add(endpoints, webhookId, -1);
    },
  };
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
