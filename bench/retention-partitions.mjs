// Contents in partitions, tried: a copy of the plain contents, the table divided by the time in their
// ids, of which the oldest part is detached and dropped, beside the records that each deletion has.
const PARTS = 5;
/** Ten years of months. */
const MANY_PARTS = 120;
const DAY_MS = 86_400_000;

/** `beside`: runs work while mail is sent. Writes phases into `client`. */
export async function comparePartitions(client, beside, days) {
  const edges = Array.from({ length: PARTS + 1 }, (_, n) => Date.now() - days * DAY_MS * (1 - n / PARTS));
  await client.query(`create table parts (tenant_id uuid not null, message_id uuid not null, raw bytea not null,
    submission bytea not null, primary key (tenant_id, message_id)) partition by range (message_id)`);
  for (let n = 0; n < PARTS; n++)
    await client.query(
      `create table parts_${n} partition of parts for values from ('${firstId(edges[n])}') to ('${firstId(edges[n + 1])}')`,
    );
  const copied = await client.query(
    `with copied as (insert into parts select c.* from message_contents c
       join messages m on m.tenant_id = c.tenant_id and m.message_id = c.message_id
      where not m.certified and m.message_id >= '${firstId(edges[0])}' and m.message_id < '${firstId(edges[PARTS])}'
      returning 1) select count(*)::integer as rows from copied`,
  );
  process.stderr.write(`  ${copied[0].rows} contents in ${PARTS} partitions\n`);
  await client.query('create table records (like content_deletions including all)');
  const [{ rows }] = await client.query('select count(*)::integer as rows from parts_0');
  await client.phase('the records of a partition, in one statement', () =>
    beside(() => record(client).then(() => rows)),
  );
  await client.phase('detach and drop it', () =>
    beside(async () => {
      await client.query('alter table parts detach partition parts_0');
      await client.query('drop table parts_0');
      return rows;
    }),
  );
  await planning(client);
}

async function record(client) {
  await client.query(
    `insert into records (tenant_id, message_id, cause, deleted_at)
     select tenant_id, message_id, 'retention', now() from parts_0`,
  );
}

/** A look-up by key, which names the partition. */
async function planning(client) {
  await client.query(`create table many (tenant_id uuid not null, message_id uuid not null, raw bytea not null,
    primary key (tenant_id, message_id)) partition by range (message_id)`);
  const months = Array.from({ length: MANY_PARTS + 1 }, (_, n) => firstId(Date.now() + n * 30 * DAY_MS));
  for (let n = 0; n < MANY_PARTS; n++)
    await client.query(
      `create table many_${n} partition of many for values from ('${months[n]}') to ('${months[n + 1]}')`,
    );
  for (const table of ['messages', 'message_contents', 'parts', 'many']) {
    const found = [];
    for (const values of [
      ['one id', `message_id = '${firstId(Date.now() + DAY_MS)}'`],
      ['50 ids', `message_id = any (array(select gen_random_uuid() from generate_series(1, 50)))`],
    ]) {
      const text = `explain (analyze, buffers, format json)
        select * from ${table} where tenant_id = '${firstId(0)}' and ${values[1]}`;
      await client.query(text);
      const [
        {
          'QUERY PLAN': [plan],
        },
      ] = await client.query(text);
      const buffers = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
      found.push(
        `${values[0]}: planned in ${plan['Planning Time']} ms, run in ${plan['Execution Time']} ms, ${buffers} buffers`,
      );
    }
    console.log(`look-up in ${table}: ${found.join('; ')}`);
  }
}

/** No id of this time or later is smaller. RFC 9562 §5.7 */
export function firstId(ms) {
  const time = Math.max(0, Math.round(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
