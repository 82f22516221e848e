import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import type { Config, Environment } from '../config.ts';
import type { InstallationSecretDeps } from '../platform/database/installation-secrets-store.ts';
import { openTimeStampAuthority } from '../sandbox/time-stamp-authority.ts';
import { openAuthorities } from '../sealing/stamp/open-authorities.ts';
import type { Sealer } from '../sealing/stamp/sealer.ts';

/** The authorities of a command: those of the configuration, or the embedded one, which needs no server to be asked here. */
export async function openSealers(
  services: InstallationSecretDeps & { config: Pick<Config, 'authorities'> },
  env: Environment,
): Promise<Sealer[]> {
  if (services.config.authorities !== null)
    return openAuthorities(services.config.authorities, (name) => env[name]);
  const { policy, respond } = await openTimeStampAuthority(services);
  return [
    {
      name: policy.name,
      policy,
      intermediates: [],
      priceMicros: 0,
      stamp: async (wanted) => ({ response: respond(buildTimeStampRequest(wanted)), expected: wanted }),
    },
  ];
}
