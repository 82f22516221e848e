import { eventually } from '@acuse/testkit/eventually';
import { afterEach, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { firstIdAt, newId } from '../../src/platform/ids.ts';
import { addTenant } from '../evidence/support.ts';
import { DAY_MS } from '../operate/retention/support.ts';
import { readExposition } from '../support/exposition.ts';
import { createProcesses } from '../support/process.ts';

/** Retention as a real server does it, with nothing but its configuration. */
const processes = createProcesses();
afterEach(() => processes.end());

/** A plain message that was sent so many days ago. */
async function addOld(db: Db, tenantId: string, days: number): Promise<string> {
  const at = new Date(Date.now() - days * DAY_MS);
  const messageId = firstIdAt(at).slice(0, 24) + newId().slice(24);
  await db.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
      recipient_address, reverse_path, subject,
            certified, status, size_bytes, created_at, sent_at)
     values ($1, $2, $2::uuid::text, 'a@sender.test', 'b@example.test', 'a@sender.test', 'b@example.test',
       'c@sender.test', 'x', false, 'sent', 1, $3, $3)`,
    [tenantId, messageId, at.toISOString()],
  );
  await db.execute(
    "insert into message_contents (tenant_id, message_id, raw, submission) values ($1, $2, 'raw', 'submission')",
    [tenantId, messageId],
  );
  return messageId;
}

test('two servers on one database delete what has had its days, once, and leave what has not', async () => {
  const databaseUrl = await processes.database();
  const db = processes.connect(databaseUrl);
  const tenantId = await addTenant(db);
  for (let i = 0; i < 5; i++) await addOld(db, tenantId, 31 + i);
  const young = await addOld(db, tenantId, 29);
  const env = { ACUSE_PLAIN_RETENTION_DAYS: '30' };
  const servers = await Promise.all([
    processes.start({ databaseUrl, env }),
    processes.start({ databaseUrl, env }),
  ]);
  const kept = () => db.query<{ message_id: string }>('select message_id from message_contents');
  await eventually(async () => (await kept()).length === 1);
  expect(await kept()).toEqual([{ message_id: young }]);
  expect(await db.query("select from content_deletions where cause = 'retention'")).toHaveLength(5);
  // Counted and told once each is written down, by whichever of the two it was.
  await eventually(async () => {
    let sum = 0;
    for (const { baseUrl } of servers) {
      const exposition = readExposition(await (await fetch(`${baseUrl}/metrics`)).text());
      sum += exposition.value('acuse_retention_deleted_messages_total', {}) ?? 0;
    }
    return sum === 5;
  });
  const line = /"messages":5,"bytes":65,"msg":"deleted plain content past its retention period"/;
  await eventually(() => servers.some((server) => line.test(server.log())));
  for (const server of servers) expect(await server.stop()).toBe(0);
});

test('a server that is told to keep evidence for less than ten years does not start, and says why', async () => {
  const databaseUrl = await processes.database();
  await expect(
    processes.start({ databaseUrl, env: { ACUSE_CERTIFIED_RETENTION_YEARS: '9' } }),
  ).rejects.toThrow(/ACUSE_CERTIFIED_RETENTION_YEARS: expected 10 to 100 years/);
});
