import { isLoopbackAddress } from '../platform/network/public-address.ts';
import type { Config } from './config-type.ts';

/**
 * Detects an unnamed proxy: limits and records would see one address, and ten wrong passwords would lock
 * everybody out. `certain`: loopback only, but opened under another name. `likely`: TLS ends elsewhere (maybe
 * preserving addresses), or a shared sandbox. Pure.
 */
export function missingProxyTrust(
  config: Pick<Config, 'roles' | 'host' | 'publicUrl' | 'trustProxy' | 'delivery'>,
): 'certain' | 'likely' | null {
  if (config.trustProxy !== null || !config.roles.some((role) => role === 'api' || role === 'portal'))
    return null;
  const { protocol, hostname } = new URL(config.publicUrl);
  if (isLocal(hostname)) return null;
  if (isLocal(config.host)) return config.delivery === 'sandbox' ? 'likely' : 'certain';
  return protocol === 'https:' ? 'likely' : null;
}

function isLocal(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host.replace(/^\[|\]$/g, ''))
  );
}
