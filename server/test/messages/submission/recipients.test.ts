import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RawSmtp } from '../../support/raw-smtp.ts';
import { newKey } from '../../support/service.ts';
import { idIn, mail, openSubmissionWorld, type SubmissionWorld, verifiedDomain } from './harness.ts';

let world: SubmissionWorld;
let smtp: RawSmtp;
beforeAll(async () => {
  world = await openSubmissionWorld();
});
beforeEach(async () => {
  smtp = await world.session();
  return () => smtp.end();
});
afterAll(() => world.stop());

interface Stored {
  message_id: string;
  idempotency_key: string;
  recipient_address: string;
  header_to: string;
  leaf: string | null;
}

/** Messages whose key begins with this one, by recipient. */
async function storedOf(key: string): Promise<Stored[]> {
  return world.service.db.query<Stored>(
    `select m.message_id, m.idempotency_key, m.recipient_address, m.header_to,
            encode(l.canonical_hash, 'hex') as leaf
       from messages m left join leaf_contents l on l.message_id = m.message_id
      where left(m.idempotency_key, length($1)) = $1 order by m.recipient_address`,
    [key],
  );
}

/** The replies to MAIL, each RCPT and the message's end. */
async function sendTo(content: string, recipients: readonly string[], from = 'MAIL FROM:<>') {
  expect(await smtp.command(from)).toMatch(/^250 /);
  const judged: string[] = [];
  for (const recipient of recipients) judged.push(await smtp.command(`RCPT TO:<${recipient}>`));
  if (!judged.some((reply) => reply.startsWith('250 '))) {
    await smtp.command('RSET');
    return { judged, end: '' };
  }
  expect(await smtp.command('DATA')).toMatch(/^354 /);
  smtp.write(content);
  smtp.write('.\r\n');
  return { judged, end: await smtp.reply() };
}

const rawOf = async (id: string) =>
  (await world.service.call('GET', `/v1/messages/${id}/raw`)).raw.toString();

describe('a message to several', () => {
  test('is a message for each, with the header as submitted less Bcc', async () => {
    const key = newKey();
    const content = mail({
      to: 'Ana <ana@sandbox.test>, "Gómez, Juan" <juan@sandbox.test>',
      headers: [
        'Cc: Team: cc@sandbox.test;',
        'Bcc: hidden@sandbox.test',
        `Idempotency-Key: ${key}`,
        'Date: Thu, 20 Nov 2025 09:40:00 -0600',
      ],
    });
    const all = ['ana@sandbox.test', 'juan@sandbox.test', 'cc@sandbox.test', 'hidden@sandbox.test'];
    const { judged, end } = await sendTo(content, all);
    expect(judged.every((reply) => reply.startsWith('250 '))).toBe(true);
    expect(end).toMatch(/^250 2\.0\.0 OK: queued as [0-9a-f-]{36} and 3 more, one message per recipient$/);

    const stored = await storedOf(key);
    expect(stored.map((row) => row.recipient_address)).toEqual([...all].sort());
    expect(stored.map((row) => row.idempotency_key)).toEqual([...all].sort().map((to) => `${key} ${to}`));
    expect(new Set(stored.map((row) => row.leaf)).size).toBe(4);
    expect(stored.every((row) => row.leaf !== null)).toBe(true);
    expect(stored[0]!.header_to).toBe('Ana <ana@sandbox.test>');
    for (const { message_id: id } of stored) {
      const raw = await rawOf(id);
      expect(raw).toMatch(/^To: Ana <ana@sandbox\.test>,/m);
      expect(raw).toMatch(/^Cc: Team: cc@sandbox\.test;/m);
      expect(raw).toMatch(new RegExp(`^Service-Evidence: v=1; id=${id};`));
      expect(raw).not.toContain('hidden@');
    }
  });

  test('has one Message-ID and the author’s own', async () => {
    const messageId = `<${newKey()}@client.test>`;
    const content = mail({ messageId, to: 'a@sandbox.test, b@sandbox.test' });
    await sendTo(content, ['a@sandbox.test', 'b@sandbox.test']);
    for (const { message_id: id } of await storedOf(messageId))
      expect(await rawOf(id)).toContain(`\r\nMessage-ID: ${messageId}\r\n`);
  });

  test('each has an outcome of its own', async () => {
    const key = newKey();
    await sendTo(mail({ to: 'a@sandbox.test', headers: [`Idempotency-Key: ${key}`] }), [
      'a@sandbox.test',
      'b@sandbox.test',
    ]);
    const [a, b] = await storedOf(key);
    const cancelled = await world.service.call('POST', `/v1/messages/${a!.message_id}/cancel`);
    expect(cancelled.status).toBe(200);
    const other = await world.service.call('GET', `/v1/messages/${b!.message_id}`);
    expect(other.body.status).toBe('queued');
    expect(other.body.to).toBe('b@sandbox.test');
  });

  test('has addresses whose local part is quoted', async () => {
    const key = newKey();
    const to = ['"ana perez"@sandbox.test', '"a@b c"@sandbox.test', '"juan"@sandbox.test'];
    const { judged, end } = await sendTo(
      mail({ to: to[0]!, headers: [`Idempotency-Key: ${key}`] }),
      to,
      'MAIL FROM:<"facturas hoy"@tienda.test> SIZE=100',
    );
    expect(judged.map((reply) => reply.slice(0, 9))).toEqual(['250 2.1.5', '553 5.1.3', '250 2.1.5']);
    expect(end).toMatch(/^250 /);
    expect((await storedOf(key)).map((row) => row.recipient_address)).toEqual([
      '"ana perez"@sandbox.test',
      'juan@sandbox.test',
    ]);
    for (const wrong of ['"ana perez@sandbox.test', '"ana"perez"@sandbox.test', 'ana perez@sandbox.test'])
      expect(await smtp.command('MAIL FROM:<>').then(() => smtp.command(`RCPT TO:<${wrong}>`))).toMatch(
        /^5(?:01|53) /,
      );
  });

  test('sent again they are replays, and for one more that one alone is new', async () => {
    const messageId = `<${newKey()}@client.test>`;
    const content = mail({ messageId, to: 'a@sandbox.test, b@sandbox.test, c@sandbox.test' });
    const first = await sendTo(content, ['a@sandbox.test', 'b@sandbox.test']);
    const again = await sendTo(content, ['b@sandbox.test', 'A@SANDBOX.TEST']);
    expect(again.end).toMatch(/and 1 more, one message per recipient \(replay: already accepted\)$/);
    expect(await storedOf(messageId)).toHaveLength(2);
    const more = await sendTo(content, ['a@sandbox.test', 'c@sandbox.test']);
    expect(more.end).not.toContain('replay');
    expect(more.end.slice(0, 62)).toBe(first.end.slice(0, 62));
    expect(await storedOf(messageId)).toHaveLength(3);
  });

  test('in one transaction or in several it is the same messages', async () => {
    const messageId = `<${newKey()}@client.test>`;
    const content = mail({ messageId, to: 'a@sandbox.test' });
    // The blind copy first, then the addressee, then both.
    await sendTo(content, ['blind@sandbox.test']);
    await sendTo(content, ['a@sandbox.test']);
    const both = await sendTo(content, ['a@sandbox.test', 'blind@sandbox.test']);
    expect(both.end).toContain('replay');
    expect((await storedOf(messageId)).map((row) => row.idempotency_key)).toEqual([
      messageId,
      `${messageId} blind@sandbox.test`,
    ]);
  });

  test('a key too long with its recipient is cut and told apart by a digest', async () => {
    const messageId = `<${'x'.repeat(230)}${newKey().slice(0, 8)}@c.test>`;
    const content = mail({ messageId, to: 'a@sandbox.test, b@sandbox.test' });
    const recipients = ['a@sandbox.test', 'b@sandbox.test', `${'l'.repeat(60)}@sandbox.test`];
    await sendTo(content, recipients);
    const rows = await storedOf(messageId.slice(0, 160));
    expect(rows).toHaveLength(3);
    for (const { idempotency_key: key } of rows) expect(key).toMatch(/^.{160} sha256:[0-9a-f]{64}$/);
    expect((await sendTo(content, recipients)).end).toContain('replay');
  });

  test('two spellings of one recipient are one message', async () => {
    const key = newKey();
    const content = mail({ to: 'ana@bücher.test', headers: [`Idempotency-Key: ${key}`] });
    const { end } = await sendTo(content, ['ana@xn--bcher-kva.test', 'ANA@bücher.test'.normalize()]);
    idIn(end);
    expect(await storedOf(key)).toHaveLength(1);
  });

  test('the key of another message refuses all of it, and nothing is stored', async () => {
    const key = newKey();
    const headers = [`Idempotency-Key: ${key}`];
    const to = 'a@sandbox.test, b@sandbox.test';
    await sendTo(mail({ to, headers, subject: 'One' }), ['b@sandbox.test']);
    const { end } = await sendTo(mail({ to, headers, subject: 'Two' }), ['a@sandbox.test', 'b@sandbox.test']);
    expect(end).toMatch(/^554 5\.6\.0 /);
    expect(await storedOf(key)).toHaveLength(1);
  });

  test('the same at once from many connections is one message for each recipient', async () => {
    const messageId = `<${newKey()}@client.test>`;
    const to = 'a@sandbox.test, b@sandbox.test, c@sandbox.test';
    const content = mail({ messageId, to });
    const sessions = await Promise.all(Array.from({ length: 6 }, () => world.session()));
    const ends = await Promise.all(
      sessions.map(async (session, at) => {
        await session.command('MAIL FROM:<>');
        // In other orders, and with other companions.
        const list = ['a', 'b', 'c'].slice(at % 2).sort(() => (at % 3) - 1);
        for (const name of list) await session.command(`RCPT TO:<${name}@sandbox.test>`);
        await session.command('DATA');
        session.write(`${content}.\r\n`);
        return session.reply();
      }),
    );
    expect(ends.every((end) => end.startsWith('250 '))).toBe(true);
    expect(await storedOf(messageId)).toHaveLength(3);
    for (const session of sessions) session.end();
  });
});

describe('a refused recipient', () => {
  test('is refused alone: suppressed, malformed, or outside ASCII without SMTPUTF8', async () => {
    const address = `gone-${newKey().slice(0, 8)}@sandbox.test`;
    await world.service.call('POST', '/v1/suppressions', { body: { address } });
    const key = newKey();
    const content = mail({ to: 'ok@sandbox.test', headers: [`Idempotency-Key: ${key}`] });
    const { judged, end } = await sendTo(content, [
      address.toUpperCase(),
      'x@[127.0.0.1]',
      'blåbær@sandbox.test',
      'ok@sandbox.test',
    ]);
    expect(judged.map((reply) => reply.slice(0, 9))).toEqual([
      '550 5.7.1',
      '553 5.1.3',
      '553 5.6.7',
      '250 2.1.5',
    ]);
    expect(judged[0]).toContain("is on this account's suppression list");
    idIn(end);
    expect((await storedOf(key)).map((row) => row.recipient_address)).toEqual(['ok@sandbox.test']);
  });

  test('that was suppressed meanwhile has all of it sent again, when it is refused alone', async () => {
    const address = `late-${newKey().slice(0, 8)}@sandbox.test`;
    const key = newKey();
    const content = mail({ to: `ok@sandbox.test, ${address}`, headers: [`Idempotency-Key: ${key}`] });
    await smtp.command('MAIL FROM:<>');
    expect(await smtp.command(`RCPT TO:<${address}>`)).toMatch(/^250 /);
    expect(await smtp.command('RCPT TO:<ok@sandbox.test>')).toMatch(/^250 /);
    await world.service.call('POST', '/v1/suppressions', { body: { address } });
    await smtp.command('DATA');
    smtp.write(`${content}.\r\n`);
    expect(await smtp.reply()).toMatch(/^451 4\.7\.1 /);
    expect(await storedOf(key)).toHaveLength(0);
    const { judged, end } = await sendTo(content, [address, 'ok@sandbox.test']);
    expect(judged[0]).toMatch(/^550 5\.7\.1 /);
    idIn(end);
    expect(await storedOf(key)).toHaveLength(1);
  });

  test('the 101st is for the next transaction', async () => {
    await smtp.command('MAIL FROM:<>');
    for (let n = 0; n < 100; n++) expect(await smtp.command(`RCPT TO:<n${n}@sandbox.test>`)).toMatch(/^250 /);
    expect(await smtp.command('RCPT TO:<n100@sandbox.test>')).toMatch(/^452 4\.5\.3 /);
    expect(await smtp.command('RCPT TO:<n7@sandbox.test>')).toMatch(/^250 /);
    const key = newKey();
    await smtp.command('DATA');
    smtp.write(`${mail({ to: 'many:;', headers: [`Idempotency-Key: ${key}`] })}.\r\n`);
    expect(await smtp.reply()).toMatch(/and 99 more/);
    expect(await storedOf(key)).toHaveLength(100);
  });

  test('more than fit at a message’s size come later: declared at RCPT, undeclared at its end', async () => {
    await smtp.command('MAIL FROM:<> SIZE=25000000');
    expect(await smtp.command('RCPT TO:<a@sandbox.test>')).toMatch(/^250 /);
    expect(await smtp.command('RCPT TO:<b@sandbox.test>')).toMatch(/^250 /);
    expect(await smtp.command('RCPT TO:<c@sandbox.test>')).toMatch(/^452 4\.5\.3 /);
    await smtp.command('RSET');
    const big = mail({ to: 'many:;', body: `${'x'.repeat(76)}\r\n`.repeat(180_000) });
    const recipients = Array.from({ length: 6 }, (_, n) => `n${n}@sandbox.test`);
    const { end } = await sendTo(big, recipients);
    expect(end).toMatch(/^552 5\.3\.4 .*can go to 4 recipients at a time/);
  });
});

describe('all or none', () => {
  test('with a quota for some of them none is stored, and the quota is whole', async () => {
    const { tenantId, key } = await world.tenant({ quota: 2 });
    await verifiedDomain(world, tenantId, 'few.test');
    await world.service.call('POST', '/v1/senders', { body: { address: '*@few.test' }, key });
    smtp.end();
    smtp = await world.session(key);
    const three = ['a@x.test', 'b@x.test', 'c@x.test'];
    const from = 'Billing <billing@few.test>';
    expect((await sendTo(mail({ from, to: 'x:;' }), three)).end).toMatch(/^452 4\.7\.1 /);
    expect((await sendTo(mail({ from, to: 'x:;' }), three.slice(1))).end).toMatch(/and 1 more/);
    expect((await sendTo(mail({ from, to: 'x:;' }), three.slice(2))).end).toMatch(/^452 4\.7\.1 /);
  });
});

describe('RFC 6409 §8', () => {
  test('a message without Message-ID and Date gets them, and each is a message of its own', async () => {
    const content = mail({ messageId: null, to: 'a@sandbox.test' });
    const ids = [];
    for (let n = 0; n < 2; n++) ids.push(idIn((await sendTo(content, ['a@sandbox.test'])).end));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) {
      const raw = await rawOf(id);
      expect(raw).toMatch(/^Message-ID: <[^<>@\s]+@sandbox\.test>\r$/m);
      expect(raw).toMatch(/^Date: \w{3}, \d\d? \w{3} \d{4} /m);
    }
  });

  test('without a key of its own the copies of one message still share one Message-ID', async () => {
    const { end } = await sendTo(mail({ messageId: null, to: 'a@sandbox.test' }), [
      'a@sandbox.test',
      'b@sandbox.test',
    ]);
    const first = /queued as ([0-9a-f-]{36})/.exec(end)![1]!;
    const [row] = await world.service.db.query<{ idempotency_key: string }>(
      'select idempotency_key from messages where message_id = $1',
      [first],
    );
    const rows = await storedOf(row!.idempotency_key.split(' ')[0]!);
    expect(rows).toHaveLength(2);
    const ids = await Promise.all(
      rows.map(async ({ message_id: id }) => /^Message-ID: (.*)\r$/m.exec(await rawOf(id))![1]),
    );
    expect(new Set(ids).size).toBe(1);
  });
});
