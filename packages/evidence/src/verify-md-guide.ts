/** The source of VERIFY.md: what it names of a bundle's other entries. */
import type { Opening } from './commitment.ts';
import type { DeliverySource } from './delivery-facts.ts';
import type { HistoryStep } from './history.ts';
import type { Openings } from './openings.ts';
import type { PinnedChain } from './shell.ts';
import type { TlogProof } from './tlog-proof.ts';

/**
 * `token`, `chain`: entry names. `genTime`: RFC 3339. `profile`: nom151 where OpenSSL would not take the
 * signer for one.
 */
export type StampGuide = PinnedChain & {
  profile: 'rfc3161' | 'nom151';
  development: boolean;
  token: string;
  policyOid: string;
  bare: boolean;
  genTime: string;
};

/** `entry`: `manifest.json` or a delivery's; `proofEntry`: its proof; `signature`: the log's, 64 bytes. */
export type LeafGuide = {
  entry: string;
  proofEntry: string;
  proof: TlogProof;
  checkpointText: string;
  size: number;
  signature: Uint8Array;
};

export type BundleGuide = {
  messageId: string;
  canonicalHash: string;
  /** `evidenceLines`. */
  evidence: readonly string[];
  /** Hex; for asking the log for the outcomes. */
  askKey: string;
  log: string;
  logPublicKey: Uint8Array;
  /** As the operator publishes it. */
  logKey: string;
  /** Keys of the policy's witnesses, as they publish them. */
  witnessKeys: readonly string[];
  /** The log's ML-DSA-44 keys, as the operator publishes them. */
  secondKeys: readonly string[];
  openings: Openings;
  leaf: LeafGuide;
  constancia: StampGuide;
  messageConstancia?: StampGuide;
  renewals: readonly { sums: string; list?: string; stamp: StampGuide }[];
  /** Entry names. */
  revocation: readonly string[];
  issued: readonly string[];
  deliveries: readonly DeliveryGuide[];
  /** Null: it is there, and cannot be read. */
  count?: CountGuide | null;
  history?: readonly HistoryStep[] | null;
};

/** `shown`: its openings, if it is opened. */
export type DeliveryGuide = {
  kind: string;
  source: DeliverySource;
  leaf: LeafGuide;
  stamp?: StampGuide;
  shown?: { facts: Opening; transcript: Opening | null; dsn: Opening | null };
};

/**
 * `outcomes.note`: who signed it, when (Unix seconds) and for how many entries, and the canonical hashes that
 * the bundle withholds. `end`: the signatures under `log-end.note`, of the log and of the one that signed
 * instead.
 */
export type CountGuide = {
  publicKey: Uint8Array;
  signature: Uint8Array;
  /** Key id in that signature; hex. */
  keyId: string;
  asOf: number;
  entries: number;
  withheld: readonly string[];
  end?: { own: Uint8Array; successor: Uint8Array };
};

/** All time-stamps, the constancia first. */
export function stampsOf({ constancia, messageConstancia, renewals, deliveries }: BundleGuide): StampGuide[] {
  return [
    constancia,
    ...(messageConstancia === undefined ? [] : [messageConstancia]),
    ...renewals.map(({ stamp }) => stamp),
    ...deliveries.flatMap(({ stamp }) => (stamp === undefined ? [] : [stamp])),
  ];
}
