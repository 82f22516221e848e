import { isLoopbackAddress } from '../platform/network/public-address.ts';
import type { Config } from './config-type.ts';

/**
 * Whether people come through a proxy that is not named: then limits, sessions and records have its address
 * for everybody's, and ten wrong passwords of anybody keep every person out. `certain`: what listens on
 * loopback alone and is opened under another name has no other way in. `likely`: TLS ends elsewhere, maybe
 * where the address is kept (a balancer that passes connections on), or a sandbox is shown to others. Pure.
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
