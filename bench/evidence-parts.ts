// The part of bench/evidence.mjs in its own process: the server's sealing code on a database, without a
// server around it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundle, writeBundle } from '@acuse/evidence/bundle';
import { SHA256_BYTES } from '@acuse/evidence/bytes';
import { leafHash } from '@acuse/evidence/merkle';
import { appendLeaves } from '@acuse/evidence/tiles';
import { verifyBundle } from '@acuse/evidence/verify';
import { openMasterKeys } from '../server/src/config/master-key.ts';
import { readProofBundle } from '../server/src/evidence/bundle/proof-bundle.ts';
import { addReport } from '../server/src/evidence/bundle/report/add-report.ts';
import { fsck } from '../server/src/evidence/fsck/fsck.ts';
import { createPageThreads } from '../server/src/evidence/fsck/fsck-pages.ts';
import { type LogSigner, openLog } from '../server/src/evidence/log/log-key.ts';
import { sequenceBatch } from '../server/src/evidence/log/sequence.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { type Db, openDb } from '../server/src/platform/database/db.ts';
import { createSecretBox } from '../server/src/platform/secrets.ts';
import { sha256 } from '../server/src/platform/sha256.ts';

const POOL_SIZE = 6;
const LEAVES_PER_INSERT = 50_000;

/** The database of an installation whose server runs, and its log. */
export async function openInstallation(dataDir: string): Promise<{ db: Db; url: string; log: LogSigner }> {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { url: string };
  const db = openDb({ connectionString: url, poolSize: POOL_SIZE, applicationName: 'bench' });
  const [row] = await db.query<{ origin: string }>('select origin from logs');
  const secrets = createSecretBox(openMasterKeys(null, dataDir));
  return { db, url, log: await openLog({ db, secrets, clock: systemClock }, row!.origin) };
}

/**
 * Leaves a second of the tree alone, as the sequencer grows it: hashes of entries, tiles, root, nothing
 * stored.
 */
export function growPureTree(leaves: number, perTurn: number): number {
  const tiles = new Map<string, Uint8Array>();
  const startedMs = performance.now();
  for (let size = 0; size < leaves; ) {
    const hashes = new Uint8Array(perTurn * SHA256_BYTES);
    const entry = new Uint8Array(SHA256_BYTES);
    for (let i = 0; i < perTurn; i++) {
      new DataView(entry.buffer).setUint32(0, size + i);
      hashes.set(leafHash(entry, sha256), i * SHA256_BYTES);
    }
    const grown = appendLeaves(size, hashes, (level, index) => tiles.get(`${level}/${index}`)!, sha256);
    for (const tile of grown.tiles) tiles.set(`${tile.level}/${tile.index}`, tile.hashes);
    size = grown.size;
  }
  return leaves / ((performance.now() - startedMs) / 1_000);
}

/**
 * Leaves that wait for the sequencer, of no message: for what looks at the tree alone. Their ids ascend, as
 * UUIDv7 do.
 */
export async function addBareLeaves(db: Db, log: LogSigner, count: number): Promise<void> {
  for (let done = 0; done < count; done += LEAVES_PER_INSERT) {
    await db.execute(
      `insert into pending_leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash)
       select t.tenant_id, l.id, $1, l.id, sha256(int8send($3::bigint + n))
         from generate_series(1, $2::integer) as n,
              (select tenant_id from tenants order by tenant_id limit 1) t,
              lateral (select (lpad(to_hex($3::bigint + n), 12,
                '0') || '70008' || substring(md5(n::text) for 15))::uuid as id) l`,
      [log.logId, Math.min(LEAVES_PER_INSERT, count - done), done],
    );
  }
}

/** Sequences all that is pending; one figure a batch. */
export async function sequenceAll(db: Db, log: LogSigner): Promise<{ leaves: number; ms: number }[]> {
  const batches: { leaves: number; ms: number }[] = [];
  for (;;) {
    const startedMs = performance.now();
    const result = await sequenceBatch({ db, clock: systemClock }, log);
    if (result.kind === 'nothing_pending') return batches;
    if (result.kind !== 'sequenced') throw new Error(`somebody else sequences too: ${result.kind}`);
    batches.push({ leaves: result.leaves, ms: performance.now() - startedMs });
  }
}

/**
 * Milliseconds of reading the rows of a message and writing its bundle, `runs` times; and the last bundle's
 * bytes.
 */
export async function buildBundles(
  deps: { db: Db; log: LogSigner },
  message: { tenantId: string; messageId: string },
  runs: number,
  verifyUrl: string | null,
): Promise<{ ms: number[]; bytes: Uint8Array }> {
  const ms: number[] = [];
  let bytes: Uint8Array = new Uint8Array();
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now();
    const { bundle } = await readProofBundle(
      { ...deps, clock: systemClock, archived: { read: async () => null } },
      message.tenantId,
      message.messageId,
    );
    const whole: Bundle = verifyUrl === null ? bundle : await addReport(bundle, verifyUrl, systemClock.now());
    bytes = writeBundle(whole);
    ms.push(performance.now() - startedMs);
  }
  return { ms, bytes };
}

export async function verifyBundles(
  bytes: Uint8Array,
  runs: number,
): Promise<{ ms: number[]; facts: object }> {
  const ms: number[] = [];
  let facts: object = {};
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now();
    const verified = await verifyBundle(bytes, { sha256, now: new Date() });
    ms.push(performance.now() - startedMs);
    if (!verified.valid) throw new Error(JSON.stringify(verified.checks.filter(({ ok }) => !ok)));
    facts = verified.facts;
  }
  return { ms, facts };
}

/** Time of fsck over all, the start of threads included; it must find nothing. 0 threads: this one. */
export async function checkAll(
  { db, url }: { readonly db: Db; readonly url: string },
  threads: number,
): Promise<{ leaves: number; seconds: number }> {
  const startedMs = performance.now();
  const pages = createPageThreads({ connectionString: url, threads, env: {} });
  const result = await fsck(
    { db, ...(threads > 0 && { pages }) },
    { parallel: Math.max(1, threads) },
  ).finally(pages.stop);
  if (result.problemCount > 0) throw new Error(JSON.stringify(result.problems.slice(0, 5)));
  return { leaves: result.checked.leaves, seconds: (performance.now() - startedMs) / 1_000 };
}
