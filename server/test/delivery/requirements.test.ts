import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Requirement, RULES } from '../../src/delivery/requirements/requirements.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** GET /v1/domains/{id}/requirements: what was seen of the rules for bulk senders. */
let service: TestService;
let domainId: string;

beforeAll(async () => {
  service = await startTestService({});
  const { body } = await service.call('GET', '/v1/domains');
  domainId = body.data.find(({ name }: { name: string }) => name === 'sandbox.test').id;
});
afterAll(() => service.stop());

async function requirement(rule: Requirement['rule']): Promise<Requirement> {
  const { body } = await service.call('GET', `/v1/domains/${domainId}/requirements`);
  expect(body.requirements.map((each: Requirement) => each.rule)).toEqual([...RULES]);
  return body.requirements.find((each: Requirement) => each.rule === rule);
}

/** As a server would have taken them; each has its attempt. */
async function taken(ids: readonly string[], tls: object | null): Promise<void> {
  const { tenantId } = service.account;
  await service.db.execute(
    `update messages set status = 'sent', sent_at = now(), next_attempt_at = null, attempts = 1
      where tenant_id = $1 and message_id = any ($2)`,
    [tenantId, ids],
  );
  await service.db.execute(
    `insert into attempts (tenant_id, message_id, attempt, started_at, finished_at, outcome, sessions)
     select $1, id, 1, now(), now(), 'sent', $3::json from unnest($2::uuid[]) as id`,
    [tenantId, ids, JSON.stringify([{ tls: null }, { tls }])],
  );
}

test('says of each rule what was seen, and of nothing that it is unknown', async () => {
  expect(await requirement('tls')).toEqual({
    ...{ rule: 'tls', verdict: 'unknown', part: 0, total: 0, found: [] },
  });
  const unsubscribe = {
    'List-Unsubscribe': '<mailto:u@shop.example>, <https://shop.example/u/1>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  const byLetter = { 'List-Unsubscribe': '<mailto:u@shop.example>' };
  const sends = [{ headers: unsubscribe }, { headers: byLetter }].map((change) => service.send(change));
  const [first, second] = (await Promise.all(sends)).map(({ body }) => body.id);
  await taken([first], { version: 'TLSv1.3' });
  expect(await requirement('tls')).toMatchObject({ verdict: 'met', part: 1, total: 1 });
  expect(await requirement('one_click_unsubscribe')).toMatchObject({ verdict: 'met', part: 1, total: 1 });
  await taken([second], null);
  expect(await requirement('tls')).toMatchObject({ verdict: 'at_risk', part: 1, total: 2 });
  expect(await requirement('one_click_unsubscribe')).toMatchObject({ verdict: 'at_risk', part: 1, total: 2 });
  expect(await requirement('complaint_rate')).toMatchObject({ verdict: 'unknown', part: 0, total: 2 });
  expect(await requirement('reverse_dns')).toMatchObject({ verdict: 'unknown', total: null });
});

test('a stranger is told nothing', async () => {
  expect((await service.call('GET', `/v1/domains/${newId()}/requirements`)).status).toBe(404);
});
