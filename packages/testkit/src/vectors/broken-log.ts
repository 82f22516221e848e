/** Proofs, checkpoints and cosignatures that must be refused. */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { utf8 } from '@acuse/evidence/bytes';
import { signCheckpoint } from '@acuse/evidence/checkpoint';
import { cosign } from '@acuse/evidence/cosignature';
import { formatSignatureLine } from '@acuse/evidence/note';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { logKey, ORIGIN, SEALED_AT, sha256, signerFor, witnessSigner } from './authority.ts';
import { prove } from './bundles.ts';

import { type Cases, change, flipLast, replaceText } from './tamper.ts';

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
