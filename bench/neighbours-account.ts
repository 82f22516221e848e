import { createApiKey } from '../server/src/accounts/api-keys/operations.ts';
import { createDkimKeyMaker } from '../server/src/accounts/domains/dkim-keys.ts';
import { markVerified, registerDomain } from '../server/src/accounts/domains/register.ts';
import { createSender } from '../server/src/accounts/senders/operations.ts';
import { createTenant } from '../server/src/accounts/tenants/operations.ts';
import { loadConfig } from '../server/src/config/config.ts';
import { openMasterKeys } from '../server/src/config/master-key.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { createChanges } from '../server/src/platform/database/changes.ts';
import { openDb } from '../server/src/platform/database/db.ts';
import { createSecretBox } from '../server/src/platform/secrets.ts';

/** A second account that may send from neighbour.test; returns its key. */
export async function openNeighbour(): Promise<string> {
  const { config } = loadConfig(process.env);
  const db = openDb({ connectionString: config.databaseUrl!, poolSize: 2, applicationName: 'acuse-bench' });
  const secrets = createSecretBox(openMasterKeys(config.masterKeys, config.dataDir));
  const deps = {
    db,
    clock: systemClock,
    changes: createChanges(db),
    dkimKeys: createDkimKeyMaker(secrets),
    returnPathHost: null,
  };
  const { tenantId } = await createTenant(deps, { name: 'Neighbour', sandbox: true } as never);
  const domains = deps as unknown as Parameters<typeof registerDomain>[0];
  const { domainId } = await registerDomain(domains, tenantId, 'neighbour.test');
  await markVerified(domains, tenantId, domainId);
  await createSender(deps, tenantId, '*@neighbour.test');
  const { key } = await createApiKey(deps, tenantId, { name: 'bench', scopes: ['messages:send'] }, null);
  await db.close();
  return key;
}
