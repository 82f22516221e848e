import { randomBytes } from 'node:crypto';
import type { Environment } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { createInProcessSealer } from '../evidence/stamp/in-process.ts';
import { openAuthorities } from '../evidence/stamp/open-authorities.ts';
import type { Sealer } from '../evidence/stamp/sealer.ts';
import type { InstallationSecretDeps } from '../platform/database/installation-secrets-store.ts';
import { openTimeStampAuthority } from '../sandbox/time-stamp-authority.ts';

/** The configured authorities, or the embedded one. */
export async function openSealers(
  services: InstallationSecretDeps & { config: Pick<Config, 'authorities'> },
  env: Environment,
): Promise<Sealer[]> {
  if (services.config.authorities !== null)
    return openAuthorities(services.config.authorities, (name) => env[name]);
  return [createInProcessSealer(await openTimeStampAuthority(services), randomBytes)];
}
