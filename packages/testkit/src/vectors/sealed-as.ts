/** Sealing and signing of several kinds of cases, as they would have it. */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import { type Bundle, withSums } from '@acuse/evidence/bundle';
import { toHex, utf8 } from '@acuse/evidence/bytes';
import { type Json, jcsBytes } from '@acuse/evidence/jcs';
import { signLogEnd } from '@acuse/evidence/log-end';
import type { Signer } from '@acuse/evidence/note';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { type Authority, logSigner, ORIGIN, sha256 } from './authority.ts';
import { countOf, prove } from './bundles.ts';
import { tell } from './line-cases.ts';
import { assemble, textOf } from './tamper.ts';

/** A message whose manifest says this, sealed as it stands. */
export async function sealedAs(
  authority: Authority,
  alter: (manifest: Record<string, Json>) => void,
): Promise<Bundle> {
  const plain = assemble(await tell(authority));
  const fields = JSON.parse(textOf(plain, 'manifest.json'));
  alter(fields);
  const manifest = jcsBytes(fields);
  const hash = sha256(manifest);
  const { proof, text } = prove(hash, 5, 13);
  const openings = { ...JSON.parse(textOf(plain, 'openings.json')), canonical_hash: toHex(hash) };
  const entries = new Map(plain)
    .set('manifest.json', manifest)
    .set('openings.json', jcsBytes(openings))
    .set('proof.tlog-proof', utf8(formatTlogProof(proof)))
    .set('checkpoint.txt', utf8(text))
    .set('constancia.tsr', authority.token(sha256(utf8(text))))
    .set('outcomes.note', utf8(countOf([hash])));
  return withSums(entries, sha256);
}

/** The end of the log of this message, which `named` goes on with. `by`: who signs it. */
export function endOf(
  { proof }: StoredEvidence,
  { endedAt, named, by = [logSigner, named] }: { endedAt: Date; named: Signer; by?: [Signer, Signer] },
): string {
  const root = Buffer.from(proof.checkpointNote.split('\n')[2]!, 'base64');
  return signLogEnd(
    {
      origin: ORIGIN,
      kept: { size: 13, rootHash: root },
      published: { size: 20, rootHash: sha256(root) },
      endedAt,
      successor: verifierKey(named.name, named.publicKey, sha256),
      reason: 'the database was restored',
    },
    by,
    sha256,
  );
}
