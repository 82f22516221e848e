import type { Config } from '../../config/config-type.ts';
import { missingProxyTrust } from '../../config/proxy-trust.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

export const proxy: Group = async ({ config }) => judgeProxy(config);

const ABOUT = ['proxy', 'ACUSE_TRUST_PROXY'] as const;

export function judgeProxy(
  config: Pick<Config, 'roles' | 'host' | 'publicUrl' | 'trustProxy' | 'delivery'>,
): Finding[] {
  const missing = missingProxyTrust(config);
  if (missing === null)
    return [
      ok(
        ...ABOUT,
        config.trustProxy === null
          ? 'Clients connect without a proxy.'
          : `X-Forwarded-For is trusted from ${config.trustProxy.join(', ')}.`,
      ),
    ];
  return [
    fault(
      missing === 'certain' ? 'problem' : 'warning',
      ABOUT,
      'It is not set, and people connect through a proxy that ends TLS. Limits, sessions and records see its address for everybody: ten wrong passwords lock everybody out.',
      "set it to the proxy's address as this service sees it (loopback on the same machine), and have the proxy send X-Forwarded-For",
    ),
  ];
}
