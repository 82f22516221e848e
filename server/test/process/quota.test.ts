import { untilLetIn } from '@acuse/testkit/until-let-in';
import { afterEach, expect, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { createProcesses } from '../support/process.ts';
import { newKey } from '../support/service.ts';

const processes = createProcesses();
afterEach(processes.end);

const QUOTA = 1_000;
const CONNECTIONS = 64;
/** More than the bag holds, so that both servers run into its end. */
const SENDS_PER_CONNECTION = 10;

test('two servers with 64 connections each take exactly 1 000 from a bag of 1 000', async () => {
  const databaseUrl = await processes.database();
  const db = processes.connect(databaseUrl);
  const first = await processes.start({ databaseUrl });
  await db.execute('update tenants set quota_messages_month = $1', [QUOTA]);
  const services = [
    first,
    await processes.start({ databaseUrl, dataDir: first.dataDir, env: { ACUSE_ROLES: 'api' } }),
  ];
  // Settings are read through a cache; the commit reads the row itself, so that nothing need be waited for.
  const statuses = new Map<string, number>();
  await Promise.all(
    Array.from({ length: 2 * CONNECTIONS }, async (_, at) => {
      for (let sent = 0; sent < SENDS_PER_CONNECTION; sent++) {
        const key = newKey();
        const { status, body } = await untilLetIn(() => services[at % 2]!.send({}, key));
        const said = status === 429 ? `429 ${body.error.code}` : String(status);
        statuses.set(said, (statuses.get(said) ?? 0) + 1);
        // A retry of a refused send is refused again and costs nothing.
        if (status === 429 && sent % 5 === 0)
          expect((await untilLetIn(() => services[at % 2]!.send({}, key))).status).toBe(429);
      }
    }),
  );
  expect(Object.fromEntries(statuses)).toEqual({
    201: QUOTA,
    '429 quota_exceeded': 2 * CONNECTIONS * SENDS_PER_CONNECTION - QUOTA,
  });
  expect(await db.query('select bag, used from quota_usage')).toEqual([{ bag: 'certified', used: QUOTA }]);
  // The other bag is untouched by that.
  expect((await first.send({ certified: false })).status).toBe(201);
  await Promise.all(services.map((service) => service.stop()));
  expect(await audit(db)).toEqual([]);
});
