// Run and killed by sdks/conformance/run/outbox.mjs: setup | add ADDRESS KEY… | send.
import { Acuse, addToOutbox, OUTBOX_TABLE } from '@acuse/client';
import pg from 'pg';

const [what, to, ...keys] = process.argv.slice(2);
const database = new pg.Client({ connectionString: process.env.DATABASE_URL });
await database.connect();
if (what === 'setup') {
  await database.query(`create table invoices (number text primary key); ${OUTBOX_TABLE}`);
} else if (what === 'add') {
  for (const key of keys) {
    const message = { from: 'billing@sandbox.test', to, subject: `Invoice ${key}`, text: 'Hello.' };
    await database.query('begin');
    await database.query('insert into invoices (number) values ($1) on conflict do nothing', [key]);
    await addToOutbox(database, message, key);
    await database.query('commit');
  }
} else {
  console.log(await new Acuse().sendOutbox(database));
}
await database.end();
