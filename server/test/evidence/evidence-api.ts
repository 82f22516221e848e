import { createAuthenticate } from '../../src/accounts/api-keys/authenticate.ts';
import { createKeyCheck } from '../../src/accounts/api-keys/key-check.ts';
import { createApiKey } from '../../src/accounts/api-keys/operations.ts';
import { evidenceRoutes } from '../../src/evidence/bundle/routes.ts';
import { sealRoutes } from '../../src/evidence/bundle/seal-routes.ts';
import type { Authorities } from '../../src/evidence/stamp/authorities.ts';
import { createChanges } from '../../src/platform/database/changes.ts';
import { behind, MACHINE_DOOR } from '../../src/platform/http/door.ts';
import { type App, SCOPES, type Scope } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/logger.ts';
import { createThreads } from '../../src/platform/threads/threads.ts';
import type { World } from './support.ts';

/** The routes about evidence over a log, with real API keys. */
export interface EvidenceApi {
  readonly app: App;
  keyWith(tenantId: string, scopes: Scope[]): Promise<string>;
  close(): Promise<void>;
}

/** `authorities`: given, a constancia can also be requested on demand. */
export async function openEvidenceApi(world: World, authorities?: Authorities): Promise<EvidenceApi> {
  const { db, clock } = world;
  const changes = createChanges(db);
  const keyCheck = createKeyCheck({
    db,
    clock,
    changes,
    sandbox: false,
    keyRate: { perSecond: 0, burst: 0 },
  });
  const app = createHttpServer({
    log: createLog('silent'),
    authenticate: createAuthenticate({ keyCheck, burst: 0 }),
    trustProxy: null,
  });
  const threads = createThreads();
  if (authorities !== undefined) sealRoutes(behind(app, MACHINE_DOOR)('Evidence'), { ...world, authorities });
  evidenceRoutes(behind(app, MACHINE_DOOR)('Evidence'), {
    ...world,
    threads,
    changes,
    authorities: authorities ?? { obtain: async () => ({ kind: 'failed', reason: 'none', retryAt: null }) },
    verifyUrl: () => 'http://localhost/verify',
  });
  await app.ready();
  return {
    app,
    async keyWith(tenantId, scopes) {
      return (await createApiKey({ db, clock, changes }, tenantId, { name: 'test', scopes }, SCOPES)).key;
    },
    async close() {
      await app.close();
      await keyCheck.close();
      await threads.stop();
    },
  };
}
