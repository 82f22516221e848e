/** Time-stamps and renewals that must be refused. */
import type { StoredEvidence, StoredRenewal } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { utf8 } from '@acuse/evidence/bytes';
import { formatOpenings } from '@acuse/evidence/openings';
import { renewalImprint, renewalList, renewalSums } from '@acuse/evidence/renewal';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { Tamper } from '@acuse/tsa/respond';
import { type Authority, type Stamping, sha256 } from './authority.ts';
import { renewed, sealedEvidence } from './bundles.ts';

import { assemble, type Cases, change, flipLast, replaceText } from './tamper.ts';

export async function timeStamps(
  cases: Cases,
  authority: Authority,
  small: Bundle,
  sealed: StoredEvidence,
): Promise<void> {
  const imprint = sha256(small.get('checkpoint.txt')!);
  const add = (name: string, why: string, bundle: Bundle) => cases.set(`token-${name}`, { why, bundle });
  const token = (name: string, why: string, stamping: Stamping, of = imprint) =>
    add(name, why, change(small, 'constancia.tsr', authority.token(of, stamping)));
  token('of-another-text', 'stamps something else', {}, sha256(utf8('x')));
  token('by-stranger', 'signed under a root that is not pinned', { by: authority.stranger });
  token('by-ended-signer', "signed after its certificate's end", { by: authority.ended });
  token('by-psc', 'of a signer without timeStamping, under the strict profile', { by: authority.psc });
  const tampered = (name: string, why: string, tamper: Tamper) => token(name, why, { tamper });
  tampered('rejected', 'a rejection that carries a token', (plan) => ({ ...plan, status: 2 }));
  tampered('digest', "signs another digest than the content's", (plan) => ({
    ...plan,
    messageDigest: new Uint8Array(32),
  }));
  tampered('content-type', 'signs that it is something else than a TSTInfo', (plan) => ({
    ...plan,
    contentTypeAttribute: '1.2.840.113549.1.7.1',
  }));
  tampered('ess-missing', "does not bind its signer's certificate", (plan) => ({ ...plan, ess: [] }));
  tampered('ess-of-another', 'binds another certificate', (plan) => ({
    ...plan,
    ess: plan.ess.map((ess) => ({ ...ess, certificateHash: new Uint8Array(32) })),
  }));
  tampered('signed-by-another', "signed with another key than the certificate's", (plan) => ({
    ...plan,
    signingKey: authority.stranger.key,
  }));
  tampered('two-signers', 'has two signer infos', (plan) => ({ ...plan, signerInfos: 2 }));
  const honest = sealed.constancia.token;
  add('signature', 'one bit of the signature', change(small, 'constancia.tsr', flipLast(honest)));
  add('cut-short', 'its last byte is missing', change(small, 'constancia.tsr', honest.subarray(0, -1)));
  add('html', 'an error page', change(small, 'constancia.tsr', '<!doctype html><title>503</title>'));
  add(
    'chain-of-another',
    "the chain of the authority's other signer",
    change(
      small,
      'chain/constancia.pem',
      [authority.nextSigner.der, sealed.constancia.facts.certificates[1]!].map(certificateToPem).join(''),
    ),
  );
  const own = assemble({ ...sealed, messageConstancia: await authority.stamp(sha256(sealed.manifest)) });
  cases.set('message-token-of-another', {
    why: "the message's own constancia stamps something else",
    bundle: change(own, 'message-constancia.tsr', authority.token(imprint)),
  });
}

export async function renewals(cases: Cases, authority: Authority, sealed: StoredEvidence): Promise<void> {
  const sound = assemble(await renewed(authority, sealed, 1));
  const add = (name: string, why: string, bundle: Bundle) => cases.set(`renewal-${name}`, { why, bundle });
  add(
    'list-changed',
    'its list has another hash',
    replaceText(sound, 'renewal/01.sums', /^./, sound.get('renewal/01.sums')![0] === 0x30 ? '1' : '0'),
  );
  add(
    'list-short',
    'its list leaves the chain out',
    replaceText(sound, 'renewal/01.sums', /.*chain\/constancia\.pem\n/, ''),
  );
  add(
    'of-another',
    'its token stamps something else',
    change(
      sound,
      'renewal/01.tsr',
      authority.token(new Uint8Array(64), {
        by: authority.nextSigner,
        at: new Date('2026-12-01T00:00:00Z'),
        hash: 'sha512',
      }),
    ),
  );
  // Too late: the first signer's certificate had ended by then.
  const sums = renewalSums(assemble(sealed), 1);
  const late = await authority.stamp(renewalImprint(sums), {
    by: authority.nextSigner,
    at: new Date('2027-01-02T00:00:00Z'),
    hash: 'sha512',
  });
  add(
    'too-late',
    'made after the end of what it renews',
    assemble({ ...sealed, renewals: [{ ...late, sums }] }),
  );
  const together = await renewed(authority, sealed, 1, ['another batch', 'and another']);
  const [{ sums: own, ...stamped }] = together.renewals as [StoredRenewal];
  const listed = renewalList(['another batch', 'and another']);
  const elsewhere = await authority.stamp(renewalImprint(listed), {
    by: authority.nextSigner,
    at: new Date('2026-12-01T00:00:00Z'),
    hash: 'sha512',
  });
  add(
    'list-of-others',
    'is not on the list that was stamped',
    assemble({ ...sealed, renewals: [{ ...elsewhere, sums: own, list: listed }] }),
  );
  const reversed = `${stamped.list!.trimEnd().split('\n').reverse().join('\n')}\n`;
  add(
    'list-unordered',
    'its list is in no order',
    assemble({ ...together, renewals: [{ ...stamped, sums: own, list: reversed }] }),
  );
  add(
    'list-missing',
    'its time-stamp is over a list that is not there',
    change(assemble(together), 'renewal/01.list', undefined),
  );
  const openings = formatOpenings(sealed.openings);
  add(
    'other-bundle',
    'the renewal of another message',
    change(
      renewedOther(
        sound,
        await renewed(
          authority,
          await sealedEvidence(authority, { acceptedAt: new Date('2026-03-04T05:06:07.090Z') }),
          1,
        ),
      ),
      'openings.json',
      openings,
    ),
  );
}

function renewedOther(sound: Bundle, other: StoredEvidence): Bundle {
  const theirs = assemble(other);
  return change(
    change(sound, 'renewal/01.sums', theirs.get('renewal/01.sums')),
    'renewal/01.tsr',
    theirs.get('renewal/01.tsr'),
  );
}
