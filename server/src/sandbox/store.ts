import { Blob } from '../platform/blob.ts';
import { jsonArray, plainArray, textArray, timeArray } from '../platform/database/array-text.ts';
import type { Queryable } from '../platform/database/db.ts';
import { first } from '../platform/database/rows.ts';

/** Rows without a tenant: this mail never leaves the machine. */

export interface NewSandboxMail {
  readonly mailId: string;
  readonly reversePath: string;
  readonly forwardPath: string;
  readonly clientName: string;
  readonly tls: { version: string; cipher: string } | null;
  readonly raw: Buffer;
  readonly receivedAt: Date;
}

export async function insertMail(db: Queryable, mails: readonly NewSandboxMail[]): Promise<void> {
  const raw = new Blob(mails.map((mail) => mail.raw));
  await db.execute(
    `insert into sandbox_mail (mail_id, reverse_path, forward_path, client_name, tls, raw, received_at)
     select t.mail_id, t.reverse_path, t.forward_path, t.client_name, t.tls,
            substring($6::bytea from t.raw_from for t.raw_for), t.received_at
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $7::integer[], $8::integer[],
         $9::timestamptz[])
         as t (mail_id, reverse_path, forward_path, client_name, tls, raw_from, raw_for, received_at)`,
    [
      plainArray(mails.map((mail) => mail.mailId)),
      textArray(mails.map((mail) => mail.reversePath)),
      textArray(mails.map((mail) => mail.forwardPath)),
      textArray(mails.map((mail) => mail.clientName)),
      jsonArray(mails.map((mail) => (mail.tls === null ? null : JSON.stringify(mail.tls)))),
      raw.bytes,
      plainArray(raw.from),
      plainArray(raw.lengths),
      timeArray(mails.map((mail) => mail.receivedAt)),
    ],
    'sandbox_insert_mail',
  );
}

export interface SandboxMailRow {
  mail_id: string;
  reverse_path: string;
  forward_path: string;
  client_name: string;
  tls: { version: string; cipher: string } | null;
  received_at: Date;
  size_bytes: number;
  raw: Buffer;
}

const COLUMNS =
  'mail_id, reverse_path, forward_path, client_name, tls, received_at, length(raw) as size_bytes';

export function listMail(
  db: Queryable,
  filter: { to: string | null; after: string | null; limit: number; headBytes: number },
): Promise<SandboxMailRow[]> {
  return db.query<SandboxMailRow>(
    `select ${COLUMNS}, substring(raw from 1 for $4) as raw from sandbox_mail
      where ($1::text is null or forward_path = $1) and ($2::uuid is null or mail_id < $2)
      order by mail_id desc limit $3`,
    [filter.to, filter.after, filter.limit, filter.headBytes],
  );
}

export function findMail(db: Queryable, mailId: string): Promise<SandboxMailRow | null> {
  return first<SandboxMailRow>(db, `select ${COLUMNS}, raw from sandbox_mail where mail_id = $1`, [mailId]);
}

export function pruneMail(db: Queryable, keep: number): Promise<number> {
  return db.execute(
    `delete from sandbox_mail where mail_id <= (select mail_id from sandbox_mail order by mail_id desc offset $1 limit 1)`,
    [keep],
  );
}

export function deleteMail(db: Queryable): Promise<number> {
  return db.execute('delete from sandbox_mail');
}

export function deleteOneMail(db: Queryable, mailId: string): Promise<number> {
  return db.execute('delete from sandbox_mail where mail_id = $1', [mailId]);
}
