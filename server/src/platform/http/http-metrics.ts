import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Counter, Histogram } from 'prom-client';
import { DURATION_BUCKETS, type Metrics } from '../metrics.ts';

/** Requests by route pattern, status and duration: paths would be unbounded labels. */
export function createHttpMetrics(metrics: Metrics): (request: FastifyRequest, reply: FastifyReply) => void {
  const requests = metrics.counter('acuse_http_requests_total', 'HTTP requests answered.', [
    'method',
    'route',
    'status',
  ]);
  const seconds = metrics.histogram(
    'acuse_http_request_seconds',
    'Time from the first byte of a request to the last of its answer.',
    DURATION_BUCKETS,
    ['method', 'route'],
  );
  // Caches labels per route: the library sorts and joins them on each look-up.
  const counters = new Map<string, Counter.Internal>();
  const timers = new Map<string, Histogram.Internal<'method' | 'route'>>();
  return (request, reply) => {
    const route = request.routeOptions.url;
    const labels = route === undefined ? UNKNOWN : { method: request.method, route };
    const status = String(reply.statusCode);
    const name = `${labels.method} ${labels.route}`;
    remembered(counters, `${status} ${name}`, () => requests.labels({ ...labels, status })).inc();
    remembered(timers, name, () => seconds.labels(labels)).observe(reply.elapsedTime / 1_000);
  };
}

function remembered<V>(known: Map<string, V>, key: string, make: () => V): V {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** An unknown route's method is the caller's own word, too. */
const UNKNOWN = { method: 'unknown', route: 'unknown' };
