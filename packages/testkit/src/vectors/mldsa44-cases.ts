/**
 * A log that signs with ML-DSA-44 beside Ed25519: for each rule the smallest bundle that breaks it. Those in
 * `bundles/mldsa44/` come out otherwise for a verifier that cannot check such signatures.
 */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { utf8 } from '@acuse/evidence/bytes';
import { addMldsa44, cosignMldsa44 } from '@acuse/evidence/cosignature-mldsa44';
import { loadMldsa44 } from '@acuse/evidence/mldsa44';
import { formatSignatureLine, type NoteSignature, parseNote, type Signer } from '@acuse/evidence/note';
import { formatTrustPolicy, type PinnedKey } from '@acuse/evidence/policy';
import { MLDSA44, verifierKey } from '@acuse/evidence/verifier-key';
import { type Authority, COUNTED_AT, ORIGIN, SEALED_AT, sha256 } from './authority.ts';
import { policyOf, prove } from './bundles.ts';
import { type LineCases, later, SUCCESSOR, tell } from './line-cases.ts';
import { assemble, change, flipLast, textOf } from './tamper.ts';

/** Its seed is the SHA-256 of what it is called. */
async function secondSigner(called = `${ORIGIN} ML-DSA-44`, name = ORIGIN): Promise<Signer> {
  const { keyOf } = await loadMldsa44();
  return { name, ...keyOf(sha256(utf8(called))) };
}

type Notes = { checkpoint?: string; outcome?: string; counted?: string };

/**
 * Names by the folder: `good/…` and `broken/…` come out the same for all, `mldsa44/…` do not. `ended`: a bundle
 * that the successor of its log counted.
 */
export async function mldsa44Cases(authority: Authority, ended: Bundle): Promise<LineCases> {
  const cases: LineCases = new Map();
  const signer = await secondSigner();
  const key = verifierKey(ORIGIN, signer.publicKey, sha256, MLDSA44);
  const plain = await tell(authority, { outcomes: [later] });
  const checkpoint = plain.proof.checkpointNote;
  const outcome = plain.deliveries![0]!.proof.checkpointNote;
  const counted = plain.outcomesNote!;
  const signed = (note: string, at: Date, by = signer): NoteSignature =>
    cosignMldsa44(parseNote(utf8(note)).text, at.getTime() / 1000, by, sha256);
  const line = (note: string, at: Date = SEALED_AT, by = signer) => formatSignatureLine(signed(note, at, by));
  const both: Required<Notes> = {
    checkpoint: checkpoint + line(checkpoint),
    outcome: outcome + line(outcome),
    counted: counted + line(counted, COUNTED_AT),
  };
  const bundleOf = (notes: Notes, mldsa44Keys: readonly object[] = [key]): Bundle =>
    assemble(
      withNotes(plain, { ...both, ...notes }, policyOf(authority, { mldsa44Keys: mldsa44Keys as [] })),
    );
  const add = (name: string, why: string, notes: Notes, keys?: readonly object[]) =>
    cases.set(name, { why, bundle: bundleOf(notes, keys) });

  add('mldsa44/both', 'signed with both keys', {});
  const wrong = {
    ...signed(checkpoint, SEALED_AT),
    signature: flipLast(signed(checkpoint, SEALED_AT).signature),
  };
  add('mldsa44/wrong', 'the last bit of the second signature is another', {
    checkpoint: checkpoint + formatSignatureLine(wrong),
  });
  const elsewhere = prove(sha256(utf8('entry 5')), 5, 13).proof.checkpointNote;
  add('mldsa44/other-tree', 'the second signature is over another tree of the same size', {
    checkpoint: checkpoint + line(elsewhere),
  });
  add('mldsa44/outcome-wrong', 'under the tree of an outcome, the second signature is over another tree', {
    outcome: outcome + line(checkpoint),
  });
  add('mldsa44/count-wrong', 'the second signature is over the tree of the log, not the count', {
    counted: counted + line(checkpoint, COUNTED_AT),
  });

  add('mldsa44/swapped', 'the second signatures of checkpoint and count stand in each other’s place', {
    checkpoint: checkpoint + line(counted, COUNTED_AT),
    counted: counted + line(checkpoint, COUNTED_AT),
  });

  add('good/mldsa44-not-listed', 'a signature by a key that the policy does not list', {}, []);
  const from = { ...key, from: new Date(COUNTED_AT.getTime() + 1).toISOString() };
  add(
    'good/mldsa44-not-yet',
    'the second key is trusted from after all that is here',
    { checkpoint, outcome, counted },
    [from],
  );
  add('broken/mldsa44-missing', 'the second signature was taken out of the checkpoint', { checkpoint });
  add('broken/mldsa44-outcome-missing', 'the second signature was taken out of the tree of an outcome', {
    outcome,
  });
  add('broken/mldsa44-count-missing', 'the second signature was taken out of the count', { counted });
  add(
    'broken/mldsa44-since-sealed',
    'the second key is trusted since it was sealed, and did not sign',
    { checkpoint },
    [{ ...key, from: SEALED_AT.toISOString() }],
  );
  add('broken/mldsa44-twice', 'the second signature stands twice', {
    checkpoint: both.checkpoint + line(checkpoint),
  });
  add('broken/mldsa44-short', 'the second signature has a byte less', {
    checkpoint:
      checkpoint +
      formatSignatureLine({ ...wrong, signature: wrong.signature.subarray(0, wrong.signature.length - 1) }),
  });
  add('broken/mldsa44-count-of-another-time', 'the signatures of the count are of two times', {
    counted: counted + line(counted),
  });
  add('broken/mldsa44-count-twice', 'the second signature of the count stands twice', {
    counted: both.counted + line(counted, COUNTED_AT),
  });
  const late = { ...wrong, signature: Uint8Array.from(wrong.signature) };
  late.signature.set(Uint8Array.of(0, 0x20, 0, 0, 0, 0, 0, 0));
  add('broken/mldsa44-time', 'the second signature states the second 2^53', {
    checkpoint: checkpoint + formatSignatureLine(late),
  });
  const next = await secondSigner(`${ORIGIN} ML-DSA-44, the next`);
  const nextKey = verifierKey(ORIGIN, next.publicKey, sha256, MLDSA44);
  add('broken/mldsa44-other-key', 'the second signature is by a key of the log that is not listed', {
    checkpoint: checkpoint + line(checkpoint, SEALED_AT, next),
  });
  add('broken/mldsa44-one-of-two', 'of two second keys one has signed', {}, [key, nextKey]);
  const spoiled = { checkpoint: checkpoint + formatSignatureLine(wrong), outcome, counted };
  const until = (at: number) => ({ ...key, until: new Date(at).toISOString() });
  add(
    'good/mldsa44-ended',
    'the second key was trusted until it was sealed: what stands there is not looked at',
    spoiled,
    [until(SEALED_AT.getTime())],
  );
  add(
    'broken/mldsa44-until-later',
    'the second key was trusted until just after it was sealed, and did not sign',
    { checkpoint, outcome, counted },
    [until(SEALED_AT.getTime() + 1)],
  );
  add(
    'broken/mldsa44-count-since',
    'the second key is trusted since the outcomes were counted, and did not sign the count',
    { checkpoint, outcome, counted },
    [{ ...key, from: COUNTED_AT.toISOString() }],
  );
  cases.set('broken/mldsa44-extended', await extended(authority, plain, both, { key, line }));
  cases.set('broken/mldsa44-successor', await countedBySuccessor(authority, ended, [SUCCESSOR], {}));
  cases.set('broken/mldsa44-successor-unlisted', await countedBySuccessor(authority, ended, [ORIGIN], {}));
  const since = { from: '2030-01-01T00:00:00.000Z' };
  cases.set(
    'broken/mldsa44-successor-later',
    await countedBySuccessor(authority, ended, [ORIGIN, SUCCESSOR], since),
  );
  return cases;
}

/**
 * `ended`: counted by the log that goes on. Its end has no second signature, and must not spare the count one:
 * `listed` are the names whose second keys the policy lists, that of the log that goes on with `window`.
 */
async function countedBySuccessor(
  authority: Authority,
  ended: Bundle,
  listed: readonly string[],
  window: Pick<PinnedKey, 'from'>,
): Promise<{ why: string; bundle: Bundle }> {
  const checkpoint = textOf(ended, 'proof.tlog-proof');
  const note = checkpoint.slice(checkpoint.indexOf('\n\n') + 2);
  const mldsa44Keys: PinnedKey[] = [];
  let proof = checkpoint;
  for (const name of listed) {
    const signer = await secondSigner(`${name} ML-DSA-44`, name);
    const key = verifierKey(name, signer.publicKey, sha256, MLDSA44);
    mldsa44Keys.push(name === SUCCESSOR ? { ...key, ...window } : key);
    if (name === ORIGIN)
      proof += addMldsa44(note, SEALED_AT.getTime() / 1000, signer, sha256).slice(note.length);
  }
  const policy = formatTrustPolicy(policyOf(authority, { mldsa44Keys }));
  const keys = listed.length > 1 ? `, which is not trusted yet` : '';
  return {
    why: `counted by the log that goes on, without a second signature; listed is the key of ${listed.join(' and of ')}${keys}`,
    bundle: change(change(ended, 'proof.tlog-proof', proof), 'policy.json', policy),
  };
}

function withNotes(
  evidence: StoredEvidence,
  { checkpoint, outcome, counted }: Required<Notes>,
  policy: StoredEvidence['policy'],
): StoredEvidence {
  const [first] = evidence.deliveries!;
  return {
    ...evidence,
    proof: { ...evidence.proof, checkpointNote: checkpoint },
    deliveries: [{ ...first!, proof: { ...first!.proof, checkpointNote: outcome } }],
    outcomesNote: counted,
    policy,
  };
}

/** A line after the third, which the second signature does not cover. */
async function extended(
  authority: Authority,
  plain: StoredEvidence,
  both: Required<Notes>,
  { key, line }: { key: object; line: (note: string) => string },
): Promise<{ why: string; bundle: Bundle }> {
  const entry = sha256(plain.manifest);
  const others = new Map([[20, sha256(plain.deliveries![0]!.manifest)]]);
  const { proof, text } = prove(entry, 5, 13, { others, extensions: ['an extension of the log'] });
  const checkpoint = proof.checkpointNote + line(plain.proof.checkpointNote);
  const constancia = await authority.stamp(sha256(utf8(text)));
  const policy = policyOf(authority, { mldsa44Keys: [key] as never });
  const evidence = { ...withNotes(plain, { ...both, checkpoint }, policy), constancia };
  return {
    why: 'a checkpoint with a line that the second signature does not cover',
    bundle: assemble(evidence),
  };
}
