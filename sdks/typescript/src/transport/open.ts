/** The client of the exchanges. */
import { ConfigurationError } from '../errors.ts';
import { type AcuseOptions, proxyFor } from '../options.ts';
import { fetchTransport } from './fetch.ts';
// In the package: node.ts in Node, platform.ts elsewhere (build.mjs).
import { platformTransport } from './node.ts';
import type { Transport } from './transport.ts';

/** Throws ConfigurationError for options that do not go together. */
export function openTransport(options: AcuseOptions, address: string): Transport {
  const { caFile, proxy, fetch, transport } = options;
  const ownClient = transport ?? (fetch === undefined ? undefined : fetchTransport(fetch));
  if (ownClient === undefined) return platformTransport({ caFile, proxy: proxyFor(options, address) });
  if (caFile !== undefined || proxy !== undefined)
    throw new ConfigurationError("caFile and proxy need Node's own client: leave out fetch and transport.");
  return ownClient;
}
