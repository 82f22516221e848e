import { createServer } from 'node:http';
import type { Metrics } from '../metrics.ts';
import { shareConnections } from './connections.ts';
import type { App } from './http.ts';
import { limitPipelining } from './pipelining.ts';

/** `/metrics` needs no key. It is served on the API's address, or on a port of its own. */

export const METRICS_PATH = '/metrics';

export function metricsRoute(app: App, metrics: Metrics): void {
  app.get(METRICS_PATH, { config: { probe: true }, schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

interface MetricsServer {
  start(host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

/** Ample for a scrape (ms). */
const REQUEST_TIMEOUT_MS = 10_000;
export const CONNECTIONS_MAX = 20;

export function createMetricsServer(metrics: Metrics): MetricsServer {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      const path = request.url?.split('?', 1)[0];
      if (request.method !== 'GET' || path !== METRICS_PATH) {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('Only GET /metrics is served here.\n');
        return;
      }
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    },
  );
  shareConnections(server, CONNECTIONS_MAX);
  limitPipelining(server);
  return {
    start: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as { port: number }).port);
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
