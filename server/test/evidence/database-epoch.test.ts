import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchEpoch, watchEpochsOf } from '../../src/app/epoch-watch.ts';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { holdEpoch } from '../../src/evidence/log/anchor/database-epoch.ts';
import { readEpoch } from '../../src/evidence/log/anchor/epoch-store.ts';
import { StalePrimary } from '../../src/platform/database/hosts.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('a process whose primary was replaced, as another one found, takes nothing more: 503, and a start is refused', async () => {
  const { services, db } = service;
  const anchor = openAnchorFolder(tempFolder());
  const config = { ...services.config, databaseUrl: service.databaseUrl };
  watchEpochsOf(config);
  const watch = await watchEpoch({ ...services, config, anchor });
  watch!.start();
  const own = (await readEpoch(db))!;
  expect((await service.send()).status).toBe(201);
  // As the process does that reached the one that was promoted.
  await holdEpoch(anchor, { ...own, timeline: own.timeline + 1 });
  const refused = await eventually(async () => {
    const answer = await service.send();
    return answer.status === 503 && answer;
  });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  for (let each = 0; each < 10; each++) expect((await service.send()).status).toBe(503);
  expect(String(await db.query('select 1').catch((error) => error))).toMatch(
    /a primary of timeline \d+, which was replaced/,
  );
  await watch!.stop();
  const late = { ...services, config, anchor, db: { ...db, query: async () => [own] as never } };
  await expect(watchEpoch(late)).rejects.toThrow(StalePrimary);
});
