/** Which client makes the exchanges. */
import { ConfigurationError } from '../errors.ts';
import { type AcuseOptions, readProxy } from '../options.ts';
import { fetchTransport } from './fetch.ts';
// In the package: node.ts in Node, platform.ts elsewhere (build.mjs).
import { platformTransport } from './node.ts';
import type { Transport } from './transport.ts';

/** Throws ConfigurationError for options that do not go together. */
export function openTransport(options: AcuseOptions): Transport {
  const { caFile, proxy, fetch, transport } = options;
  const ownClient = transport ?? (fetch === undefined ? undefined : fetchTransport(fetch));
  if (ownClient === undefined)
    return platformTransport({ caFile, proxy: proxy === undefined ? undefined : readProxy(proxy) });
  if (caFile !== undefined || proxy !== undefined)
    throw new ConfigurationError("caFile and proxy need Node's own client: leave out fetch and transport.");
  return ownClient;
}
