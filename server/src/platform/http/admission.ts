import type { FastifyRequest } from 'fastify';
import { notAccepted } from '../../errors.ts';
import { networkOf } from '../network/network.ts';

/**
 * Bounds what requests hold in memory at once, whatever they wait for: a slow sender, the database, their
 * turn to be committed. What has arrived counts, not what was announced, from the first byte of a body until
 * its answer is out or nobody works for it any more. Over it: 503, said at once. One account, and one client
 * address, has a share of the whole.
 */
export interface Admission {
  /** Counts a request in. Throws unavailable when what it holds, or says that it will, is too much. */
  enter(request: FastifyRequest, work?: number): Held;
  /** Its body has come: from now on there is work for it, and before there was none. */
  begin(held: Held): void;
  /** Counts bytes that arrived. Throws unavailable, and then they are not counted. */
  grow(held: Held, bytes: number): void;
  /** Counts an answer, until it is out: a client that does not read it holds it here. */
  answer(held: Held, bytes: number): void;
  /** Counts a request out, the first time. */
  leave(held: Held): void;
  /** Of all requests now, their own least included (bytes). */
  heldBytes(): number;
  requests(): number;
  /** Accounts that have any. */
  tenants(): number;
  /** Work of the requests that have come whole, as `enter` was called with: of all, or of one account. */
  work(tenantId?: string): number;
}

/** What one request holds. */
export interface Held {
  readonly tenantId: string | null;
  readonly network: string;
  readonly work: number;
  bytes: number;
  begun: boolean;
  left: boolean;
}

/** Bodies in memory at once (bytes). What is made of a body holds about as much again. */
export const HELD_MAX_BYTES = 256 * 1024 * 1024;
/**
 * Those of one account, and of one client address (an IPv6 /64): the largest body that a route takes, and
 * half of that in addition.
 */
export const HELD_SHARE_MAX_BYTES = 96 * 1024 * 1024;
/**
 * What a request counts as, at least: its objects, headers and socket. Some 16 000 requests fill the measure.
 */
export const REQUEST_MIN_BYTES = 16 * 1024;

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
 * Counted by nobody until it comes, but what cannot fit now need not be read. More than the route takes is
 * refused for that.
 */
function announced({ headers, routeOptions }: FastifyRequest): number {
  const length = headers['content-length'];
  return length === undefined ? 0 : Math.min(Number(length), routeOptions.bodyLimit ?? 0);
}
