import type { Queryable } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';

/** Documents that authorities issued with their tokens. A later document replaces an earlier one. */
export async function putIssued(
  q: Queryable,
  token: Uint8Array,
  content: Uint8Array | undefined,
  at: Date,
): Promise<void> {
  if (content === undefined) return;
  await q.execute(
    `insert into issued_documents (token_sha256, content, created_at) values ($1, $2, $3)
     on conflict (token_sha256) do update set content = excluded.content, created_at = excluded.created_at`,
    [sha256(token), content, at.toISOString()],
    'put_issued',
  );
}

export interface IssuedRow {
  readonly tokenSha256: Uint8Array;
  readonly content: Uint8Array;
}

export async function readIssued(q: Queryable, tokens: readonly Uint8Array[]): Promise<IssuedRow[]> {
  return q.query<IssuedRow>(
    `select token_sha256 as "tokenSha256", content from issued_documents
      where token_sha256 = any ($1::bytea[]) order by token_sha256`,
    [tokens.map(hashOf)],
    'read_issued',
  );
}

export async function hasIssued(q: Queryable): Promise<boolean> {
  const [row] = await q.query<{ some: boolean }>(
    'select exists (select 1 from issued_documents) as some',
    [],
    'has_issued',
  );
  return row!.some;
}

/** When the document issued with a token was stored; undefined: there is none. */
export async function findIssuedAt(q: Queryable, token: Uint8Array): Promise<Date | undefined> {
  const [row] = await q.query<{ createdAt: Date }>(
    `select created_at as "createdAt" from issued_documents where token_sha256 = $1`,
    [sha256(token)],
    'find_issued_at',
  );
  return row?.createdAt;
}

interface IssuedVersion {
  readonly tokenSha256: Uint8Array;
  readonly createdAt: Date;
}

/** Beside these tokens and those over these checkpoints; without the documents. */
export async function readIssuedVersions(
  q: Queryable,
  tokens: readonly Uint8Array[],
  checkpoints: readonly { readonly logId: string; readonly treeSize: number }[],
): Promise<IssuedVersion[]> {
  return q.query<IssuedVersion>(
    `select d.token_sha256 as "tokenSha256", d.created_at as "createdAt" from issued_documents d
      where d.token_sha256 = any ($1::bytea[]) or d.token_sha256 in (
              select sha256(c.token) from certificates c
                join unnest($2::uuid[], $3::bigint[]) as w (log_id, tree_size)
                  on c.log_id = w.log_id and c.tree_size = w.tree_size)
      order by d.token_sha256`,
    [tokens.map(hashOf), checkpoints.map(({ logId }) => logId), checkpoints.map(({ treeSize }) => treeSize)],
    'read_issued_versions',
  );
}

/** In arrays the driver accepts only Buffer. */
const hashOf = (token: Uint8Array): Buffer => Buffer.from(sha256(token));

export async function findToken(q: Queryable, certificateId: string): Promise<Uint8Array | undefined> {
  for (const statement of TOKEN_OF) {
    const [row] = await q.query<{ token: Uint8Array }>(statement, [certificateId]);
    if (row !== undefined) return row.token;
  }
  return undefined;
}

const TOKEN_OF = [
  'select token from certificates where certificate_id = $1',
  'select token from message_certificates where certificate_id = $1',
  'select token from renewal_stamps where renewal_stamp_id = $1',
];
