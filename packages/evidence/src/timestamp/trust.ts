/** Why a signer is trusted: a chain to a pinned root, valid at the time of the stamp. */
import { type Certificate, certificatesFromPem, readCertificate } from './certificate.ts';
import { checkAuthorities, checkCriticalExtensions, checkValidity, findChain } from './chain.ts';
import { DerError } from './der.ts';
import type { TimeStampPolicy } from './policy.ts';
import type { Finding, Report, TimeStampCheckName } from './report.ts';

/** The chain from the signer to a pinned root, if there is one. */
export async function examineChain(
  report: Report,
  policy: TimeStampPolicy,
  {
    signer,
    candidates,
    genTime,
    at,
  }: {
    readonly signer: Certificate;
    readonly candidates: readonly Certificate[];
    readonly genTime: Date;
    readonly at: Date | undefined;
  },
): Promise<readonly Certificate[] | null> {
  const roots = pinnedRoots(report, policy);
  if (roots === null) return null;
  const judge = (path: readonly Certificate[]): [TimeStampCheckName, Finding][] => {
    const findings: [TimeStampCheckName, Finding][] = [
      ['authorities', checkAuthorities(path)],
      ['critical_extensions', checkCriticalExtensions(path)],
      ['validity', checkValidity(path, genTime)],
    ];
    if (at !== undefined) findings.push(['validity_at', checkValidity(path, at)]);
    return findings;
  };
  const search = await findChain(signer, candidates, roots, (path) =>
    judge(path).every(([, finding]) => finding.ok),
  );
  if (search.kind === 'none') {
    report.add('chain', { ok: false, detail: search.reason });
    return null;
  }
  report.add('chain', {
    ok: true,
    detail: search.path.map((certificate) => certificate.subject).join(' < '),
  });
  for (const [name, finding] of judge(search.path)) report.add(name, finding);
  return search.path;
}

function pinnedRoots(report: Report, policy: TimeStampPolicy): Certificate[] | null {
  try {
    const roots = policy.roots.flatMap(certificatesFromPem).map(readCertificate);
    report.test(
      'trust_anchors',
      roots.length > 0,
      `${roots.length} pinned by ${policy.name}`,
      `${policy.name} pins no root`,
    );
    return roots.length > 0 ? roots : null;
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    report.add('trust_anchors', {
      ok: false,
      detail: `a root of ${policy.name} cannot be read: ${error.detail}`,
    });
    return null;
  }
}
