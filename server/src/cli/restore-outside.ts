import { readFileSync } from 'node:fs';
import { readBundle } from '@acuse/evidence/bundle';
import { equalBytes } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { assertInclusion, leafHash } from '@acuse/evidence/merkle';
import { parseNote } from '@acuse/evidence/note';
import { parseTlogProof, type TlogProof } from '@acuse/evidence/tlog-proof';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { compareWithNote, type HeldLog, prove, type Standing } from '../evidence/log/anchor/compare.ts';
import { findLogByOrigin, findNewestNote, listLogs, readEntries } from '../evidence/log/log-store.ts';
import { readHead } from '../evidence/log/sequence-store.ts';
import { takeToWitness } from '../evidence/log/witness-exchange.ts';
import { openWitnesses, type Witness } from '../evidence/log/witnesses.ts';
import { ed25519 } from '../platform/ed25519.ts';
import { sha256 } from '../platform/sha256.ts';
import { CommandError, EXIT, usage } from './command.ts';
import type { Held } from './log.ts';
import type { CommandServices } from './services.ts';

/** Compares the log with others' files and witnesses. */

export async function holdFile({ db }: CommandServices, file: string): Promise<Held> {
  const text = readBytes(file).toString('utf8');
  const origin = originOf(text);
  if (origin === null) throw notA(file, 'a checkpoint (a signed note, C2SP tlog-checkpoint)');
  return holdNote({ db }, origin, text);
}

async function holdNote({ db }: Pick<CommandServices, 'db'>, origin: string, note: string): Promise<Held> {
  const log = await findLogByOrigin(db, origin);
  if (log === undefined) return { origin, note: null, anchored: note, standing: UNKNOWN_LOG };
  const head = await db.transact((tx) => readHead(tx, log.logId));
  return { origin, note: head!.note, anchored: note, standing: await compareWithNote(db, log, head!, note) };
}

const UNKNOWN_LOG: Standing = {
  kind: 'fork',
  reason: 'the database has no log of this name',
  databaseSize: 0,
};

const PROOF = /^(.*)\.tlog-proof$/;

export async function holdBundle(services: CommandServices, file: string): Promise<Held[]> {
  const bundle = openBundle(file);
  const held: Held[] = [];
  for (const [name, bytes] of bundle) {
    const proven = PROOF.exec(name)?.[1];
    if (proven === undefined) continue;
    const content = bundle.get(proven === 'proof' ? 'manifest.json' : `${proven}.json`);
    const proof = readProof(file, bytes);
    const origin = originOf(proof.checkpointNote);
    if (origin === null || content === undefined) throw notA(file, 'a proof bundle');
    const known = await holdNote(services, origin, proof.checkpointNote);
    held.push({ ...known, standing: await holdLeaf(services, known, proof, content) });
  }
  if (held.length === 0) throw notA(file, 'a proof bundle');
  return held;
}

function openBundle(file: string): ReturnType<typeof readBundle> {
  try {
    return readBundle(readBytes(file));
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    throw notA(file, 'a proof bundle', error);
  }
}

function readProof(file: string, bytes: Uint8Array): TlogProof {
  try {
    return parseTlogProof(bytes);
  } catch (error) {
    throw notA(file, 'a proof bundle', error);
  }
}

async function holdLeaf(
  { db }: CommandServices,
  { origin, standing }: Held,
  { index, path, checkpointNote }: TlogProof,
  content: Uint8Array,
): Promise<Standing> {
  const log = await findLogByOrigin(db, origin);
  if (log === undefined || standing.kind === 'fork') return standing;
  const { databaseSize } = standing;
  const entry = sha256(content);
  const { checkpoint } = openCheckpoint(
    checkpointNote,
    [verifierKey(origin, log.publicKey, sha256)],
    ed25519,
  );
  try {
    const { size, rootHash: root } = checkpoint;
    assertInclusion({ leaf: leafHash(entry, sha256), index, size, path, root }, sha256);
  } catch {
    return { kind: 'fork', reason: `the bundle does not prove its own leaf ${index}`, databaseSize };
  }
  if (index >= databaseSize) return standing;
  const [own] = await readEntries(db, log.logId, index, index + 1);
  if (own !== undefined && equalBytes(own, entry)) return standing;
  return { kind: 'fork', reason: `its leaf ${index} is another one`, databaseSize };
}

interface AskedWitness {
  readonly from: string;
  readonly held: Held | null;
  readonly reason: string | null;
}

export async function askWitnesses(services: CommandServices): Promise<AskedWitness[]> {
  const { list } = openWitnesses(services.config.witnessesFile);
  if (list.length === 0) throw usage('ACUSE_WITNESSES is not set: there is no witness to ask');
  const asked: AskedWitness[] = [];
  for (const log of await listLogs(services.db)) {
    const newest = await findNewestNote(services.db, log.logId);
    if (newest === undefined) continue;
    for (const witness of list) asked.push(await askWitness(services, witness, log, newest.note));
  }
  return asked;
}

async function askWitness(
  { db, clock }: CommandServices,
  witness: Witness,
  log: HeldLog,
  note: string,
): Promise<AskedWitness> {
  const logKey = verifierKey(log.origin, log.publicKey, sha256);
  const deps = { prove: (from: number, to: number) => prove(db, log.logId, from, to), logKey, clock };
  const { checkpoint } = openCheckpoint(note, [logKey], ed25519);
  const outcome = await takeToWitness(deps, witness, note, 0, new AbortController().signal);
  const held = (standing: Standing): AskedWitness => ({
    from: witness.url,
    held: { origin: log.origin, note, anchored: null, standing },
    reason: null,
  });
  const databaseSize = checkpoint.size;
  switch (outcome.kind) {
    case 'cosigned':
      return held({ kind: 'same', size: databaseSize, databaseSize });
    case 'ahead':
      return held({ kind: 'behind', size: outcome.treeSize, databaseSize });
    case 'failed':
      return outcome.contradicts === true
        ? held({ kind: 'fork', reason: outcome.reason, databaseSize })
        : { from: witness.url, held: null, reason: outcome.reason };
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw usage(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function notA(file: string, what: string, cause?: unknown): CommandError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new CommandError(EXIT.usage, 'usage', `${file} is not ${what}${why}`, { cause });
}

function originOf(text: string): string | null {
  try {
    return parseNote(Buffer.from(text)).text.split('\n', 1)[0] ?? null;
  } catch {
    return null;
  }
}
