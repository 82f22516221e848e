/** Where there is no node:https: the platform's own fetch. */
import { ConfigurationError } from '../errors.ts';
import { fetchTransport } from './fetch.ts';
import type { Transport } from './transport.ts';

export function platformTransport(options: {
  caFile?: string | undefined;
  proxy?: URL | undefined;
}): Transport {
  if (options.caFile !== undefined || options.proxy !== undefined)
    throw new ConfigurationError('caFile and proxy work in Node only.');
  return fetchTransport((...request) => globalThis.fetch(...request));
}
