/** Bundles that must verify, in every form that evidence may take. */
import { assembleBundle, type StoredEvidence } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { toHex, utf8 } from '@acuse/evidence/bytes';
import { checkpointText, signCheckpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { disclose } from '@acuse/evidence/disclose';
import { formatHistory, historySizes } from '@acuse/evidence/history';
import type { MessageInput } from '@acuse/evidence/manifest';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  type RangeHash,
  rangeHashOf,
} from '@acuse/evidence/merkle';
import { formatSignatureLine, type Signer } from '@acuse/evidence/note';
import { erasedOpenings } from '@acuse/evidence/openings';
import { signOutcomes } from '@acuse/evidence/outcomes-note';
import type { TrustPolicy } from '@acuse/evidence/policy';
import { renewalImprint, renewalList, renewalSums } from '@acuse/evidence/renewal';
import { responseToken } from '@acuse/evidence/timestamp/parse';
import type { TlogProof } from '@acuse/evidence/tlog-proof';
import {
  type Authority,
  COUNTED_AT,
  logKey,
  logSigner,
  ORIGIN,
  READ_AT,
  SEALED_AT,
  type Stamping,
  sha256,
  witnessKey,
  witnessSigner,
} from './authority.ts';
import { letterInput, sealLetter, sealOutcomes } from './messages.ts';

export interface Proven {
  readonly proof: TlogProof;
  /** The checkpoint's three lines. */
  readonly text: string;
}

/** Further entries of a vectors' log besides `entry <n>`, by their index. */
export type Entries = ReadonlyMap<number, Uint8Array>;

/** Range hashes of a log with these entries. `fork`: a history whose other entries differ. */
export function rangesOf(entries: Entries, size: number, fork = ''): RangeHash {
  const leaves = Array.from({ length: size }, (_, i) =>
    leafHash(entries.get(i) ?? sha256(utf8(`entry ${i}${fork}`)), sha256),
  );
  return rangeHashOf(leaves, sha256);
}

/** history.txt of a log with these entries, from each of the sizes to the next. */
export function historyOf(entries: Entries, sizes: readonly number[], fork = ''): string {
  const steps = historySizes(sizes).map(({ size, next }) => ({
    size,
    next,
    path: consistencyProof(size, next, rangesOf(entries, next, fork)),
  }));
  return formatHistory(steps);
}

export interface Proving {
  /** Witnesses beside the vectors' own. */
  readonly also?: readonly Signer[];
  /** The checkpoint's lines after the third. */
  readonly extensions?: readonly string[];
  /** Further entries of the log. */
  readonly others?: Entries;
  readonly fork?: string;
  /** Unix seconds. */
  readonly cosignedAt?: number;
}

/**
 * A log of `size` leaves that has this entry at `index`; its checkpoint is cosigned by the vectors' witness.
 */
export function prove(entry: Uint8Array, index: number, size: number, proving: Proving = {}): Proven {
  const { also = [], extensions = [], others = new Map(), fork } = proving;
  const ranges = rangesOf(new Map([...others, [index, entry]]), size, fork);
  const checkpoint = { origin: ORIGIN, size, rootHash: ranges(0, size), extensions };
  const text = checkpointText(checkpoint);
  const time = proving.cosignedAt ?? SEALED_AT.getTime() / 1000;
  const cosignatures = [witnessSigner, ...also].map((by) =>
    formatSignatureLine(cosign(text, time, by, sha256)),
  );
  const checkpointNote = signCheckpoint(checkpoint, logSigner, sha256) + cosignatures.join('');
  return { proof: { index, path: inclusionProof(index, size, ranges), checkpointNote }, text };
}

/** outcomes.note of a message: its canonical hash and those of its outcomes. */
export function countOf(entries: readonly [Uint8Array, ...Uint8Array[]], at: Date = COUNTED_AT): string {
  return signOutcomes(ORIGIN, entries, at.getTime() / 1000, logSigner, sha256);
}

export const policyOf = (authority: Authority, change: Partial<TrustPolicy> = {}): TrustPolicy => ({
  logKeys: [logKey],
  timeStamps: [authority.policy],
  witnessKeys: [witnessKey],
  witnessQuorum: 1,
  ...change,
});

/** A message that was accepted and sealed, and nothing more. */
export async function sealedEvidence(
  authority: Authority,
  change: Partial<MessageInput> = {},
): Promise<StoredEvidence> {
  const input = letterInput(change);
  const { manifestBytes, canonicalHash, openings } = sealLetter(input);
  const { proof, text } = prove(canonicalHash, 5, 13);
  return {
    manifest: manifestBytes,
    openings,
    message: input.raw,
    submission: input.submission,
    proof,
    constancia: await authority.stamp(sha256(utf8(text))),
    outcomesNote: countOf([canonicalHash]),
    policy: policyOf(authority),
  };
}

/**
 * The same with everything else that a bundle may hold: a constancia of its own, three outcomes, revocation
 * data.
 */
export async function wholeEvidence(authority: Authority): Promise<StoredEvidence> {
  const sealed = await sealedEvidence(authority);
  const hash = sha256(sealed.manifest);
  const [sent, bounced, complained] = sealOutcomes(hash);
  const others: Entries = new Map([
    [5, hash],
    [20, sent!.canonicalHash],
    [34, bounced!.canonicalHash],
    [256, complained!.canonicalHash],
  ]);
  const sentProof = prove(sent!.canonicalHash, 20, 21, { others });
  return {
    ...sealed,
    messageConstancia: await authority.stamp(hash),
    revocation: new Map([['vector-root.crl', authority.revocationList]]),
    deliveries: [
      {
        manifest: sent!.manifestBytes,
        proof: sentProof.proof,
        openings: sent!.openings,
        transcript: sent!.input.transcript!,
        dsn: sent!.input.dsn!,
        constancia: await authority.stamp(sha256(utf8(sentProof.text))),
      },
      {
        manifest: bounced!.manifestBytes,
        proof: prove(bounced!.canonicalHash, 34, 40, { others }).proof,
        openings: bounced!.openings,
        dsn: bounced!.input.dsn!,
      },
      // As after erasure: without openings.
      {
        manifest: complained!.manifestBytes,
        proof: prove(complained!.canonicalHash, 256, 300, { others }).proof,
      },
    ],
    history: historyOf(others, [13, 21, 40, 300]),
    outcomesNote: countOf(
      [hash, sent!.canonicalHash, bounced!.canonicalHash, complained!.canonicalHash],
      new Date('2026-03-05T06:00:00Z'),
    ),
  };
}

export function erased(evidence: StoredEvidence): StoredEvidence {
  const { message: _, submission: __, ...rest } = evidence;
  const deliveries = (evidence.deliveries ?? []).map(({ manifest, proof, constancia }) => ({
    manifest,
    proof,
    ...(constancia && { constancia }),
  }));
  return { ...rest, openings: erasedOpenings(toHex(sha256(evidence.manifest))), deliveries };
}

/**
 * Renewed by the authority's next signer before the first one ends; `others`: sums that are renewed by the
 * same time-stamps.
 */
export async function renewed(
  authority: Authority,
  evidence: StoredEvidence,
  times: number,
  others: readonly string[] = [],
  who: Pick<Stamping, 'by' | 'under'> = { by: authority.nextSigner },
): Promise<StoredEvidence> {
  const renewals: NonNullable<StoredEvidence['renewals']>[number][] = [];
  for (let ordinal = 1; ordinal <= times; ordinal++) {
    const sums = renewalSums(assembleBundle({ ...evidence, renewals }, sha256), ordinal);
    const at = new Date(Date.UTC(2026 + ordinal - 1, 11, 1));
    const stamping = { ...who, at, hash: 'sha512' } as const;
    const list = others.length === 0 ? {} : { list: renewalList([sums, ...others]) };
    const stamp = await authority.stamp(renewalImprint(list.list ?? sums), stamping);
    renewals.push({ ...stamp, sums, ...list });
  }
  return { ...evidence, renewals };
}

/** Name → entries, sums included. */
export async function goodBundles(authority: Authority): Promise<Map<string, Bundle>> {
  const sealed = await sealedEvidence(authority);
  const whole = await wholeEvidence(authority);
  const complete = assembleBundle(whole, sha256);
  const psc = await authority.stamp(sha256(complete.get('checkpoint.txt')!), {
    by: authority.psc,
    under: authority.pscPolicy,
  });
  const bare = { ...sealed.constancia, token: responseToken(sealed.constancia.token) };
  const { messageConstancia: _, ...withoutOwn } = whole;
  const assemble = (evidence: StoredEvidence) => assembleBundle(evidence, sha256);
  return new Map([
    ['sealed', assemble(sealed)],
    ['complete', complete],
    ['one-part-disclosed', await disclose(complete, [1], { sha256, now: READ_AT })],
    ['both-parts-disclosed', await disclose(complete, [0, 1], { sha256, now: READ_AT })],
    ['nothing-disclosed', await disclose(complete, [], { sha256, now: READ_AT })],
    ['erased', assemble(erased(withoutOwn))],
    [
      'nom151',
      assemble({
        ...sealed,
        constancia: psc,
        policy: policyOf(authority, { timeStamps: [authority.pscPolicy] }),
      }),
    ],
    ['bare-token', assemble({ ...sealed, constancia: bare })],
    ['renewed-once', assemble(await renewed(authority, sealed, 1))],
    ['renewed-twice', assemble(await renewed(authority, { ...sealed, revocation: whole.revocation! }, 2))],
    ['renewed-with-others', assemble(await renewed(authority, sealed, 2, ['another batch', 'and another']))],
    [
      'no-witness-asked',
      assemble({ ...sealed, policy: policyOf(authority, { witnessQuorum: 0, witnessKeys: [] }) }),
    ],
  ]);
}

/** Made after all others, which keep their serial numbers. */
export async function laterBundles(authority: Authority): Promise<Map<string, Bundle>> {
  const sealed = await sealedEvidence(authority);
  const under = { ...authority.pscPolicy, hashAlgorithms: ['sha256', 'sha512'] as const };
  const checkpoint = assembleBundle(sealed, sha256).get('checkpoint.txt')!;
  const evidence = {
    ...sealed,
    constancia: await authority.stamp(sha256(checkpoint), { by: authority.psc, under }),
    policy: policyOf(authority, { timeStamps: [under] }),
  };
  const who = { by: authority.nextPsc(), under };
  const extended = prove(sha256(sealed.manifest), 5, 13, { extensions: ['an extension of the log', '2'] });
  return new Map([
    ['nom151-renewed', assembleBundle(await renewed(authority, evidence, 2, ['another batch'], who), sha256)],
    [
      'checkpoint-extended',
      assembleBundle(
        {
          ...sealed,
          proof: extended.proof,
          constancia: await authority.stamp(sha256(utf8(extended.text))),
        },
        sha256,
      ),
    ],
    [
      'log-key-twice',
      assembleBundle({ ...sealed, policy: policyOf(authority, { logKeys: [logKey, logKey] }) }, sha256),
    ],
    [
      'witness-not-yet',
      assembleBundle(
        { ...sealed, policy: policyOf(authority, { witnessQuorum: 2, witnessReached: 1 }) },
        sha256,
      ),
    ],
  ]);
}

/** All of a message is opened, and so is its one outcome. */
export async function openedBundle(authority: Authority): Promise<Bundle> {
  const { deliveries, messageConstancia: _, revocation: __, ...whole } = await wholeEvidence(authority);
  const [sent] = deliveries!;
  const hashes = [sha256(whole.manifest), sha256(sent!.manifest)] as const;
  const entries: Entries = new Map([
    [5, hashes[0]],
    [20, hashes[1]],
  ]);
  const history = historyOf(entries, [13, 21]);
  return assembleBundle({ ...whole, deliveries: [sent!], history, outcomesNote: countOf(hashes) }, sha256);
}
