import { readSystemDomain, type SystemDomain } from '../../people/system-mail/sender-domain.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Can mail of Acuse itself go out? */
export const systemMail: Group = async ({ config, db }) => {
  if (db === null || config.delivery === 'sandbox') return [];
  const domain = await readSystemDomain(db, config);
  return domain === null ? [] : [judgeSystemDomain(domain)];
};

export function judgeSystemDomain({ name, tenantId, isVerified }: SystemDomain): Finding {
  const place = ['system_mail.domain', name] as const;
  if (isVerified) return ok(...place, 'Verified: mail of Acuse itself goes out.');
  return fault(
    'problem',
    place,
    'The domain of ACUSE_SYSTEM_SENDER is not verified: no invitation, link for a new password or code for an acknowledgement goes out.',
    tenantId === null
      ? 'invite somebody in the portal, which makes the account of Acuse; then acuse doctor says how to verify the domain'
      : `publish the records that acuse domains list --tenant ${tenantId} shows, then acuse domains verify <id> --tenant ${tenantId}`,
  );
}
