import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';

/**
 * Bounds what requests hold in memory at once, whatever they wait for: a slow sender, the database, their turn to be
 * committed. Counted from before a body is read until the answer is out; over it: 503, told at once.
 */
export interface Admission {
  /** As an onRequest hook behind authentication. Throws unavailable. */
  enter(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void;
  /** As an onResponse hook. */
  leave(request: FastifyRequest, reply: FastifyReply, done: () => void): void;
}

/** Bodies in memory at once, in all and of one tenant (bytes). What is made of a body holds about as much again. */
const HELD_MAX_BYTES = 256 * 1024 * 1024;
const HELD_MAX_BYTES_PER_TENANT = HELD_MAX_BYTES / 2;
/** What a request counts as, at least: its objects, headers and socket. Some 16 000 requests fill the measure. */
const REQUEST_MIN_BYTES = 16 * 1024;
const RETRY_SECONDS = 1;

export function createAdmission(): Admission {
  const tenants = new Map<string, number>();
  const held = new WeakMap<FastifyRequest, number>();
  let heldBytes = 0;

  function count(request: FastifyRequest, bytes: number): void {
    const { tenantId } = request.principal;
    heldBytes += bytes;
    const left = (tenants.get(tenantId) ?? 0) + bytes;
    if (left === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, left);
  }

  return {
    enter(request, _reply, done) {
      if (request.principal === undefined) return done();
      const bytes = sizeOf(request);
      const ofTenant = tenants.get(request.principal.tenantId) ?? 0;
      if (heldBytes + bytes > HELD_MAX_BYTES || ofTenant + bytes > HELD_MAX_BYTES_PER_TENANT)
        return done(apiError('unavailable', undefined, { retryAfterSeconds: RETRY_SECONDS }));
      held.set(request, bytes);
      count(request, bytes);
      done();
    },
    leave(request, _reply, done) {
      const bytes = held.get(request);
      if (bytes !== undefined) {
        held.delete(request);
        count(request, -bytes);
      }
      done();
    },
  };
}

/** As announced; a body of unknown length may be as long as the route allows. One announced as longer is refused unread. */
function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const limit = routeOptions.bodyLimit ?? 0;
  const announced =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit;
  return REQUEST_MIN_BYTES + Math.min(announced, limit);
}
