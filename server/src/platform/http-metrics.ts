import type { FastifyReply, FastifyRequest } from 'fastify';
import { DURATION_BUCKETS, type Metrics } from './metrics.ts';

/** Requests by route, status and duration. The route is its pattern, so that nobody makes labels by asking for paths. */
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
  return (request, reply) => {
    const route = request.routeOptions.url;
    const labels = route === undefined ? UNKNOWN : { method: request.method, route };
    requests.inc({ ...labels, status: String(reply.statusCode) });
    seconds.observe(labels, reply.elapsedTime / 1_000);
  };
}

/** Whatever was asked for: its method is the caller's own word, too. */
const UNKNOWN = { method: 'unknown', route: 'unknown' };
