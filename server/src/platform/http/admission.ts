import type { FastifyRequest } from 'fastify';
import { notAccepted } from '../../errors.ts';
import { networkOf } from '../network/network.ts';

/**
 * Bounds the memory that requests hold, from the first byte of a body until the answer is out. Counts what
 * arrived, not what was announced. Beyond the bound: 503 at once. Each account and client address has a
 * share.
 */
export interface Admission {
  /** Throws unavailable when the request holds, or announces, too much. */
  enter(request: FastifyRequest, work?: number): Held;
  /** The body is complete: the work counts from now on. */
  begin(held: Held): void;
  /** Throws unavailable, without counting the bytes. */
  grow(held: Held, bytes: number): void;
  /** Counts an answer until it is out: a slow reader holds it here. */
  answer(held: Held, bytes: number): void;
  leave(held: Held): void;
  /** Total, with each request's minimum (bytes). */
  heldBytes(): number;
  requests(): number;
  tenants(): number;
  /** Work of complete requests, in all or of one account. */
  work(tenantId?: string): number;
}

export interface Held {
  readonly tenantId: string | null;
  readonly network: string;
  readonly work: number;
  bytes: number;
  begun: boolean;
  left: boolean;
}

/** Bodies in memory at once (bytes). Processing takes about as much again. */
const HELD_MAX_BYTES = 256 * 1024 * 1024;
/** Share of one account, and of one client address (an IPv6 /64): the largest body and half of that. */
export const HELD_SHARE_MAX_BYTES = 96 * 1024 * 1024;
/** Minimum that a request counts as: objects, headers, socket. Some 16 000 requests fill the bound. */
const REQUEST_MIN_BYTES = 16 * 1024;

interface Share {
  bytes: number;
  requests: number;
  work: number;
}

export function createAdmission(): Admission {
  const tenants = new Map<string, Share>();
  const networks = new Map<string, Share>();
  const all: Share = { bytes: 0, requests: 0, work: 0 };

  function refuseOver(tenantId: string | null, network: string, bytes: number): void {
    const ofTenant = tenantId === null ? 0 : (tenants.get(tenantId)?.bytes ?? 0);
    const ofNetwork = networks.get(network)?.bytes ?? 0;
    if (all.bytes + bytes > HELD_MAX_BYTES || Math.max(ofTenant, ofNetwork) + bytes > HELD_SHARE_MAX_BYTES)
      throw notAccepted();
  }

  function count({ tenantId, network }: Held, more: Share): void {
    add(all, more);
    countOne(networks, network, more);
    if (tenantId !== null) countOne(tenants, tenantId, more);
  }

  function hold(held: Held, bytes: number): void {
    held.bytes += bytes;
    count(held, { bytes, requests: 0, work: 0 });
  }

  return {
    enter(request, work = 0) {
      const tenantId = request.principal?.tenantId ?? null;
      const network = networkOf(request.ip);
      refuseOver(tenantId, network, REQUEST_MIN_BYTES + announced(request));
      const held = { tenantId, network, work, bytes: REQUEST_MIN_BYTES, begun: false, left: false };
      count(held, { bytes: held.bytes, requests: 1, work: 0 });
      return held;
    },
    begin(held) {
      if (held.begun || held.left) return;
      held.begun = true;
      if (held.work > 0) count(held, { bytes: 0, requests: 0, work: held.work });
    },
    grow(held, bytes) {
      if (held.left) return;
      refuseOver(held.tenantId, held.network, bytes);
      hold(held, bytes);
    },
    answer(held, bytes) {
      if (!held.left) hold(held, bytes);
    },
    leave(held) {
      if (held.left) return;
      held.left = true;
      count(held, { bytes: -held.bytes, requests: -1, work: held.begun ? -held.work : 0 });
    },
    heldBytes: () => all.bytes,
    requests: () => all.requests,
    tenants: () => tenants.size,
    work: (tenantId) => (tenantId === undefined ? all.work : (tenants.get(tenantId)?.work ?? 0)),
  };
}

function countOne(shares: Map<string, Share>, key: string, more: Share): void {
  const share = shares.get(key);
  if (share === undefined) shares.set(key, { ...more });
  else {
    add(share, more);
    if (share.requests === 0) shares.delete(key);
  }
}

function add(share: Share, more: Share): void {
  share.bytes += more.bytes;
  share.requests += more.requests;
  share.work += more.work;
}

/**
 * The announced size is not counted, but a body that cannot fit now is refused unread. One beyond the route's
 * limit is refused for that instead.
 */
function announced({ headers, routeOptions }: FastifyRequest): number {
  const length = headers['content-length'];
  return length === undefined ? 0 : Math.min(Number(length), routeOptions.bodyLimit ?? 0);
}
