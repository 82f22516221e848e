/** Proofs, checkpoints and cosignatures that must be refused. */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { utf8 } from '@acuse/evidence/bytes';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { formatSignatureLine } from '@acuse/evidence/note';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { COSIGNATURE_V1, verifierKey } from '@acuse/evidence/verifier-key';
import { logKey, ORIGIN, SEALED_AT, sha256, signerFor, witnessSigner } from './authority.ts';
import { prove } from './bundles.ts';

import { type Cases, change, flipLast, replaceText } from './tamper.ts';
import { WEAK_KEYS, weakSigner } from './weak-keys.ts';

export function theLog(cases: Cases, small: Bundle, sealed: StoredEvidence): void {
  const entry = sha256(sealed.manifest);
  const { proof } = prove(entry, 5, 13);
  const withProof = (changed: Partial<typeof proof>): Bundle =>
    change(small, 'proof.tlog-proof', formatTlogProof({ ...proof, ...changed }));
  const add = (name: string, why: string, bundle: Bundle) => cases.set(name, { why, bundle });
  add('proof-index', 'the index of a neighbour', withProof({ index: 4 }));
  add('proof-index-beyond', 'an index beyond the end of the log', withProof({ index: 13 }));
  add('proof-too-long', 'a hash too many', withProof({ path: [...proof.path, proof.path[0]!] }));
  add('proof-too-short', 'a hash too few', withProof({ path: proof.path.slice(1) }));
  add(
    'proof-bit',
    'one bit of one hash',
    withProof({ path: [flipLast(proof.path[0]!), ...proof.path.slice(1)] }),
  );
  add(
    'proof-of-another-leaf',
    'the proof of another entry',
    change(small, 'proof.tlog-proof', formatTlogProof(prove(sha256(utf8('x')), 5, 13).proof)),
  );
  add(
    'proof-malformed',
    'a line that is no hash',
    replaceText(small, 'proof.tlog-proof', /index 5\n.*\n/, 'index 5\nx\n'),
  );
  const lines = proof.checkpointNote.split('\n');
  const [ours, theirs] = [
    lines.find((line) => line.startsWith(`\u2014 ${ORIGIN}`))!,
    lines.find((line) => line.startsWith(`\u2014 ${witnessSigner.name}`))!,
  ];
  const note = (...signatures: string[]) =>
    withProof({
      checkpointNote: `${lines.slice(0, 3).join('\n')}\n\n${signatures.map((line) => `${line}\n`).join('')}`,
    });
  const stranger = signerFor('stranger.example');
  const bySize = (size: number) => prove(entry, 5, size).proof.checkpointNote;
  add('checkpoint-unsigned', 'only the witness signed', note(theirs));
  add('checkpoint-signed-twice', 'the log signed twice', note(ours, ours, theirs));
  add(
    'checkpoint-of-another',
    "another checkpoint's signature",
    note(
      bySize(14)
        .split('\n')
        .find((line) => line.startsWith(`\u2014 ${ORIGIN}`))!,
      theirs,
    ),
  );
  const impostor = { ...stranger, name: ORIGIN };
  const forged = signCheckpoint(
    { origin: ORIGIN, size: 13, rootHash: Buffer.from(lines[2]!, 'base64') },
    impostor,
    sha256,
  );
  add(
    'checkpoint-by-impostor',
    "signed with another key by the log's name",
    withProof({ checkpointNote: forged }),
  );
  add(
    'log-of-another-name',
    'a log that is trusted, but not the one that the manifest names',
    otherLog(small, sealed),
  );
  for (const [name, why] of WEAK_LOGS)
    add(`log-key-${name}`, `the log's key is of small order: ${why}`, weakLog(small, sealed, why));
  add('witness-key-small-order', "the witness's key is of small order", weakWitness(small, sealed));
  add('witness-missing', 'no witness cosigned, and one is asked for', note(ours));
  add('witness-twice', 'a witness that cosigned twice', note(ours, theirs, theirs));
  const strange = formatSignatureLine(
    cosign(
      `${lines.slice(0, 3).join('\n')}\n`.replace('13', '12'),
      SEALED_AT.getTime() / 1000,
      witnessSigner,
      sha256,
    ),
  );
  add('witness-of-another', 'the cosignature of another checkpoint', note(ours, strange.trimEnd()));
  add(
    'stamped-text',
    'checkpoint.txt is that of another size',
    change(small, 'checkpoint.txt', prove(entry, 5, 14).text),
  );
  add(
    'stamped-note',
    'checkpoint.txt has the signatures too',
    change(small, 'checkpoint.txt', proof.checkpointNote),
  );
}

/** Keys of the log, each trusted by the policy, with which anybody signs: name → key of WEAK_KEYS. */
const WEAK_LOGS = [
  ['identity', 'y = 1, the identity'],
  ['small-order', 'order 8'],
  ['second-spelling', 'y = p + 1, a second spelling of 1'],
] as const;

function weakLog(small: Bundle, sealed: StoredEvidence, which: string): Bundle {
  const signer = weakSigner(ORIGIN, WEAK_KEYS.get(which)!);
  const { proof } = prove(sha256(sealed.manifest), 5, 13);
  const rootHash = Buffer.from(proof.checkpointNote.split('\n')[2]!, 'base64');
  const checkpointNote = signCheckpoint({ origin: ORIGIN, size: 13, rootHash }, signer, sha256);
  const logKeys = [verifierKey(ORIGIN, signer.publicKey, sha256)];
  const policy = { ...sealed.policy, logKeys, witnessKeys: [], witnessQuorum: 0 };
  return change(
    change(small, 'policy.json', formatTrustPolicy(policy)),
    'proof.tlog-proof',
    formatTlogProof({ ...proof, checkpointNote }),
  );
}

function weakWitness(small: Bundle, sealed: StoredEvidence): Bundle {
  const { proof } = prove(sha256(sealed.manifest), 5, 13);
  const signer = weakSigner(witnessSigner.name, WEAK_KEYS.get('order 8')!);
  const [text, signatures] = proof.checkpointNote.split('\n\n');
  const ours = signatures!.split('\n').find((line) => line.startsWith(`\u2014 ${ORIGIN}`))!;
  const line = formatSignatureLine(cosign(`${text}\n`, SEALED_AT.getTime() / 1000, signer, sha256));
  const witnessKeys = [verifierKey(signer.name, signer.publicKey, sha256, COSIGNATURE_V1)];
  return change(
    change(small, 'policy.json', formatTrustPolicy({ ...sealed.policy, witnessKeys, witnessQuorum: 1 })),
    'proof.tlog-proof',
    formatTlogProof({ ...proof, checkpointNote: `${text}\n\n${ours}\n${line.trimEnd()}\n` }),
  );
}

/** Signed by a log that the policy trusts as well. */
function otherLog(small: Bundle, sealed: StoredEvidence): Bundle {
  const other = signerFor('other.example/log');
  const { proof } = prove(sha256(sealed.manifest), 5, 13);
  const rootHash = Buffer.from(proof.checkpointNote.split('\n')[2]!, 'base64');
  const checkpointNote = signCheckpoint({ origin: other.name, size: 13, rootHash }, other, sha256);
  const otherKey = verifierKey(other.name, other.publicKey, sha256);
  const policy = { ...sealed.policy, logKeys: [logKey, otherKey], witnessKeys: [], witnessQuorum: 0 };
  return change(
    change(small, 'policy.json', formatTrustPolicy(policy)),
    'proof.tlog-proof',
    formatTlogProof({ ...proof, checkpointNote }),
  );
}
