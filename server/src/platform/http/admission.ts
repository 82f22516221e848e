import type { FastifyRequest } from 'fastify';
import { notAccepted } from '../../errors.ts';
import { createHeldBytes, type Holding } from '../held-bytes.ts';
import { holdersOf } from '../network/network.ts';

/**
 * Bounds the memory that requests hold, from the first byte of a body until the answer is out. Counts what
 * arrived, not what was announced. Beyond the bound: 503 at once. Each account and client address has a
 * share.
 */
export interface Admission {
  /** Throws unavailable when the request holds, or announces, too much. */
  enter(request: FastifyRequest, work?: number): Held;
  /** Its body is coming: `drop` when the memory is needed by others. */
  comes(held: Held, drop: () => void): void;
  /** The body is complete: the work counts from now on. */
  begin(held: Held): void;
  /** Throws unavailable, without counting the bytes. */
  grow(held: Held, bytes: number): void;
  /** Counts an answer until it is out: a slow reader holds it here, until `drop`. */
  answer(held: Held, bytes: number, drop: () => void): void;
  leave(held: Held): void;
  heldBytes(): number;
  requests(): number;
  tenants(): number;
  /** Work of complete requests, in all or of one account. */
  work(tenantId?: string): number;
}

export interface Held {
  readonly tenantId: string | null;
  readonly holding: Holding;
  readonly work: number;
  begun: boolean;
  left: boolean;
}

/** Bodies in memory at once (bytes). Processing takes about as much again. */
const HELD_MAX_BYTES = 256 * 1024 * 1024;
/** Share of one account, and of one client address (an IPv6 /64): the largest body and half of that. */
export const HELD_SHARE_MAX_BYTES = 96 * 1024 * 1024;
/** Minimum that a request counts as: objects, headers, socket. Some 16 000 requests fill the bound. */
const REQUEST_MIN_BYTES = 16 * 1024;
const KNOWN_ADDRESSES_MAX = 1_000;

interface Share {
  requests: number;
  work: number;
}

export function createAdmission(): Admission {
  const held = createHeldBytes({ maxBytes: HELD_MAX_BYTES, maxBytesOfOne: HELD_SHARE_MAX_BYTES });
  const tenants = new Map<string, Share>();
  const all: Share = { requests: 0, work: 0 };
  const networksOf = rememberNetworks();

  function count({ tenantId }: Held, more: Share): void {
    add(all, more);
    if (tenantId === null) return;
    const share = tenants.get(tenantId) ?? { requests: 0, work: 0 };
    tenants.set(tenantId, share);
    add(share, more);
    if (share.requests === 0) tenants.delete(tenantId);
  }

  return {
    enter(request, work = 0) {
      const tenantId = request.principal?.tenantId ?? null;
      const { network, around } = networksOf(request.ip);
      const owners = tenantId === null ? [network] : [`account ${tenantId}`, network];
      const holding = held.open(owners, around);
      if (!holding.wouldFit(REQUEST_MIN_BYTES + announced(request)) || !holding.add(REQUEST_MIN_BYTES))
        throw notAccepted();
      const entered = { tenantId, holding, work, begun: false, left: false };
      count(entered, { requests: 1, work: 0 });
      return entered;
    },
    comes({ holding, left }, drop) {
      if (!left) holding.yields(drop);
    },
    begin(entered) {
      if (entered.begun || entered.left) return;
      entered.begun = true;
      entered.holding.yields(null);
      if (entered.work > 0) count(entered, { requests: 0, work: entered.work });
    },
    grow({ holding, left }, bytes) {
      if (!left && !holding.add(bytes)) throw notAccepted();
    },
    answer({ holding, left }, bytes, drop) {
      if (left) return;
      holding.yields(drop);
      holding.force(bytes);
    },
    leave(entered) {
      if (entered.left) return;
      entered.left = true;
      entered.holding.release();
      count(entered, { requests: -1, work: entered.begun ? -entered.work : 0 });
    },
    heldBytes: () => held.total,
    requests: () => all.requests,
    tenants: () => tenants.size,
    work: (tenantId) => (tenantId === undefined ? all.work : (tenants.get(tenantId)?.work ?? 0)),
  };
}

/** Clients send again and again: their networks are made once. */
function rememberNetworks() {
  const known = new Map<string, { readonly network: string; readonly around: readonly string[] }>();
  return (address: string) => {
    let networks = known.get(address);
    if (networks === undefined) {
      const [network = '', ...around] = holdersOf(address)
        .map((each) => `network ${each}`)
        .reverse();
      networks = { network, around };
      if (known.size >= KNOWN_ADDRESSES_MAX) known.clear();
      known.set(address, networks);
    }
    return networks;
  };
}

function add(share: Share, more: Share): void {
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
