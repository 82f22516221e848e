import { randomBytes } from 'node:crypto';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { type Responder, respond } from '@acuse/tsa/respond';
import { makeCrl } from '@acuse/tsa/revocation';
import { assembleBundle, type StoredEvidence, type StoredStamp } from '../src/assemble.ts';
import { type Bundle, withSums } from '../src/bundle.ts';
import { toHex, utf8 } from '../src/bytes.ts';
import { checkpointText, signCheckpoint } from '../src/checkpoint.ts';
import { cosign } from '../src/cosignature.ts';
import { buildDeliveryManifest } from '../src/delivery.ts';
import { formatHistory, historySizes } from '../src/history.ts';
import { draftMessageManifest, finishManifest, type MessageInput } from '../src/manifest.ts';
import { consistencyProof, inclusionProof, leafHash, type RangeHash, rangeHashOf } from '../src/merkle.ts';
import { formatSignatureLine } from '../src/note.ts';
import { openMessage } from '../src/openings.ts';
import { signOutcomes } from '../src/outcomes-note.ts';
import type { TrustPolicy } from '../src/policy.ts';
import type { TimeStampHash, TimeStampPolicy } from '../src/timestamp/policy.ts';
import { buildTimeStampRequest } from '../src/timestamp/request.ts';
import { verifyTimeStamp } from '../src/timestamp/verify.ts';
import type { TlogProof } from '../src/tlog-proof.ts';
import { COSIGNATURE_V1, verifierKey } from '../src/verifier-key.ts';
import { sampleDelivery, sampleMailReport, sampleMessage, sha256, signerFor } from './support.ts';

/** Now, to the second: OpenSSL is asked too, and it asks the clock. */
export const SEALED_AT = new Date(Math.floor(Date.now() / 1000) * 1000);
export const lab = new FaultLab(() => SEALED_AT, randomBytes);
const DAY_MS = 86_400_000;
/** Of the lab's root: nobody is revoked. */
const revocationList = makeCrl({
  issuer: lab.root,
  thisUpdate: new Date(SEALED_AT.getTime() - DAY_MS),
  nextUpdate: new Date(SEALED_AT.getTime() + DAY_MS),
});
export const logSigner = signerFor('log.example/acuse');
export const witnessSigner = signerFor('witness.example/w1');

export const policy: TrustPolicy = {
  logKeys: [verifierKey(logSigner.name, logSigner.publicKey, sha256)],
  timeStamps: [lab.policy],
  witnessKeys: [verifierKey(witnessSigner.name, witnessSigner.publicKey, sha256, COSIGNATURE_V1)],
  witnessQuorum: 1,
};

export async function stamp(
  imprint: Uint8Array,
  hashAlgorithm: TimeStampHash = 'sha256',
  responder: Responder = lab.responder,
  under: TimeStampPolicy = lab.policy,
): Promise<StoredStamp> {
  const token = respond(buildTimeStampRequest({ imprint, hashAlgorithm }), responder);
  const { facts, checks } = await verifyTimeStamp(token, { imprint, hashAlgorithm }, under);
  if (facts === null) throw new Error(JSON.stringify(checks.filter(({ ok }) => !ok)));
  return { token, facts };
}

type Entries = ReadonlyMap<number, Uint8Array>;

/** Of a log that has these entries among others. */
function rangesOf(entries: Entries, size: number): RangeHash {
  const leaves = Array.from({ length: size }, (_, i) =>
    leafHash(entries.get(i) ?? utf8(`entry ${i}`), sha256),
  );
  return rangeHashOf(leaves, sha256);
}

/** A log of `size` leaves with this entry at `index` and `others`, its checkpoint cosigned. */
export function prove(
  entry: Uint8Array,
  index: number,
  size: number,
  others: Entries = new Map(),
): TlogProof & { text: string } {
  const ranges = rangesOf(new Map([...others, [index, entry]]), size);
  const checkpoint = { origin: logSigner.name, size, rootHash: ranges(0, size) };
  const text = checkpointText(checkpoint);
  const cosignature = cosign(text, SEALED_AT.getTime() / 1000, witnessSigner, sha256);
  const checkpointNote = signCheckpoint(checkpoint, logSigner, sha256) + formatSignatureLine(cosignature);
  return { index, path: inclusionProof(index, size, ranges), checkpointNote, text };
}

const withoutText = ({ text: _, ...proof }: ReturnType<typeof prove>): TlogProof => proof;

/** All that a server would have stored of one message that was accepted, sealed and delivered. */
export async function storedEvidence(change: Partial<MessageInput> = {}): Promise<StoredEvidence> {
  const input = { ...sampleMessage(), ...change };
  const { manifestBytes, canonicalHash } = finishManifest(draftMessageManifest(input, sha256), 17n, sha256);
  const proof = prove(canonicalHash, 5, 13);
  const content = { ...sampleDelivery(canonicalHash), messageId: input.messageId };
  const outcome = buildDeliveryManifest(content, sha256);
  const bounce = buildDeliveryManifest(
    {
      ...content,
      kind: 'bounced',
      source: 'reported_by_mail',
      facts: sampleMailReport(),
      previous: outcome.canonicalHash,
      transcript: null,
      dsn: utf8('DSN\r\n'),
    },
    sha256,
  );
  const others: Entries = new Map([
    [5, canonicalHash],
    [14, outcome.canonicalHash],
    [20, bounce.canonicalHash],
  ]);
  const outcomeProof = prove(outcome.canonicalHash, 14, 15, others);
  const history = historySizes([13, 15, 21]).map(({ size, next }) => ({
    size,
    next,
    path: consistencyProof(size, next, rangesOf(others, next)),
  }));
  return {
    manifest: manifestBytes,
    openings: openMessage(toHex(canonicalHash), input, input.secret, sha256),
    message: input.raw,
    submission: input.submission,
    proof: withoutText(proof),
    constancia: await stamp(sha256(utf8(proof.text))),
    messageConstancia: await stamp(canonicalHash),
    revocation: new Map([['root.crl', revocationList]]),
    deliveries: [
      {
        manifest: outcome.manifestBytes,
        proof: withoutText(outcomeProof),
        openings: outcome.openings,
        transcript: content.transcript!,
        dsn: content.dsn!,
        constancia: await stamp(sha256(utf8(outcomeProof.text))),
      },
      {
        manifest: bounce.manifestBytes,
        proof: withoutText(prove(bounce.canonicalHash, 20, 21, others)),
        openings: bounce.openings,
        dsn: utf8('DSN\r\n'),
      },
    ],
    history: formatHistory(history),
    outcomesNote: signOutcomes(
      logSigner.name,
      [canonicalHash, outcome.canonicalHash, bounce.canonicalHash],
      SEALED_AT.getTime() / 1000,
      logSigner,
      sha256,
    ),
    policy,
  };
}

export async function completeBundle(change: Partial<StoredEvidence> = {}): Promise<Bundle> {
  return assembleBundle({ ...(await storedEvidence()), ...change }, sha256);
}

/**
 * The bundle with an entry put in or, undefined, left out; the sums made anew, as somebody who tampers would.
 */
export function tampered(bundle: Bundle, name: string, content: Uint8Array | undefined): Bundle {
  const entries = new Map(bundle);
  if (content === undefined) entries.delete(name);
  else entries.set(name, content);
  return withSums(entries, sha256);
}
