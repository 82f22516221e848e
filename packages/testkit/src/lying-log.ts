import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sha256 } from '@acuse/evidence/bytes';
import { toBase64, utf8 } from '@acuse/evidence/bytes';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { emptyRoot, leafHash, type RangeHash, rangeHashOf } from '@acuse/evidence/merkle';
import { parseNote, type Signer } from '@acuse/evidence/note';
import { issuePromise } from '@acuse/evidence/promise';
import { encodeEntryBundle, parseTilePath, TILE_WIDTH } from '@acuse/evidence/tiles';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { formatVerifierKey, type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { respond } from '@acuse/tsa/respond';
import { ed25519 } from '@noble/curves/ed25519.js';

const sha256: Sha256 = (data) => new Uint8Array(createHash('sha256').update(data).digest());

/** Answers in place of the log where its pattern fits the path; false: the log answers after all. */
export type Lie = (path: string, reply: ServerResponse, honest: () => Uint8Array | null) => unknown;

/**
 * A log over HTTP, honest until it is told to lie: it can tell other histories, withhold, stall and babble.
 */
export interface LyingLog {
  readonly url: string;
  readonly signer: Signer;
  readonly key: VerifierKey;
  readonly vkey: string;
  readonly lab: FaultLab;
  /** Entries of 32 bytes, random when only their number is given. */
  append(entries: number | readonly Uint8Array[]): void;
  /** Signs what there is, with a constancia unless it is withheld. Returns the note. */
  publish(options?: { sealed?: boolean }): string;
  /** Cuts the history back to `size` entries and forgets the checkpoints over it. */
  rewind(size: number): void;
  note(): string;
  entry(index: number): Uint8Array;
  promise(hash: Uint8Array, deadline: Date): string;
  /** From now on, for paths that fit; null: no more lies. */
  lie(pattern: RegExp | null, lie?: Lie): void;
  /** Lines that go under every checkpoint that is served. */
  cosignWith(line: (text: string) => string): void;
  readonly requests: () => readonly string[];
  close(): Promise<void>;
}

interface Published {
  readonly size: number;
  readonly previous: number;
  readonly note: string;
  token: Uint8Array | null;
}

export async function startLyingLog(origin = 'lying.test/log'): Promise<LyingLog> {
  const secretKey = randomBytes(32);
  const signer: Signer = {
    name: origin,
    publicKey: ed25519.getPublicKey(secretKey),
    sign: (message) => ed25519.sign(message, secretKey),
  };
  const key = verifierKey(origin, signer.publicKey, sha256);
  const lab = new FaultLab(() => new Date(), randomBytes);
  const requests: string[] = [];
  let entries: Uint8Array[] = [];
  let published: Published[] = [];
  let ranges: RangeHash = rangeHashOf([], sha256);
  let lies: { pattern: RegExp; lie: Lie } | null = null;
  let cosignatures: (text: string) => string = () => '';

  function rebuild(): void {
    ranges = rangeHashOf(
      entries.map((entry) => leafHash(entry, sha256)),
      sha256,
    );
  }

  const newest = (): Published =>
    published.at(-1) ?? {
      size: 0,
      previous: 0,
      note: signCheckpoint({ origin, size: 0, rootHash: emptyRoot(sha256) }, signer, sha256),
      token: null,
    };

  function honest(path: string): Uint8Array | null {
    const { size, note } = newest();
    if (path === 'checkpoint') return utf8(note + cosignatures(parseNote(utf8(note)).text));
    const certificate = /^certificates\/(\d+)$/.exec(path);
    if (certificate !== null) return certificateOf(Number(certificate[1]));
    const tile = parseTilePath(path);
    if (tile === undefined) return null;
    const { level, index, width } = tile;
    if (level === 'entries') {
      const from = index * TILE_WIDTH;
      return from + width > size ? null : encodeEntryBundle(entries.slice(from, from + width));
    }
    const span = TILE_WIDTH ** level;
    if ((index * TILE_WIDTH + width) * span > size) return null;
    const hashes = Array.from({ length: width }, (_, i) => {
      const start = (index * TILE_WIDTH + i) * span;
      return ranges(start, start + span);
    });
    return new Uint8Array(Buffer.concat(hashes));
  }

  function certificateOf(size: number): Uint8Array | null {
    const found = published.find((each) => each.size === size);
    if (found?.token == null) return null;
    return utf8(
      JSON.stringify({
        tree_size: size,
        previous_tree_size: found.previous,
        checkpoint: found.note,
        token: toBase64(found.token),
        policy: lab.policy,
      }),
    );
  }

  function answer(request: IncomingMessage, reply: ServerResponse): void {
    const path = (request.url ?? '').replace(/^\/log\//, '');
    requests.push(path);
    if (lies?.pattern.test(path) && lies.lie(path, reply, () => honest(path)) !== false) return;
    const body = honest(path);
    if (body === null) reply.writeHead(404).end('no such thing\n');
    else reply.writeHead(200).end(body);
  }

  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`,
    signer,
    key,
    vkey: formatVerifierKey(key),
    lab,
    append(given) {
      const more = typeof given === 'number' ? Array.from({ length: given }, () => randomBytes(32)) : given;
      entries = [...entries, ...more.map((entry) => new Uint8Array(entry))];
      rebuild();
    },
    publish({ sealed = true } = {}) {
      const size = entries.length;
      const note = signCheckpoint({ origin, size, rootHash: ranges(0, size) }, signer, sha256);
      const imprint = sha256(utf8(parseNote(utf8(note)).text));
      const token = sealed
        ? respond(buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' }), lab.responder)
        : null;
      published = [...published, { size, previous: newest().size, note, token }];
      return note;
    },
    rewind(size) {
      entries = entries.slice(0, size);
      published = published.filter((each) => each.size <= size);
      rebuild();
    },
    note: () => newest().note,
    entry: (index) => entries[index]!,
    promise: (canonicalHash, deadline) =>
      issuePromise(
        { origin, canonicalHash, deadline: Math.floor(deadline.getTime() / 1000) },
        signer,
        sha256,
      ),
    lie(pattern, lie) {
      lies = pattern === null || lie === undefined ? null : { pattern, lie };
    },
    cosignWith(line) {
      cosignatures = line;
    },
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
