import { type DomainName, readDomainName } from '@acuse/mail/domain-name';
import { getPublicSuffix } from 'tldts';

type NameReading = { ok: true; name: DomainName } | { ok: false; problem: string };

const NAME_MAX_CHARS = 253 - '._domainkey.'.length - 63;

/** U-labels are mapped by UTS-46; public suffixes (`co.uk`, `github.io`) are refused. */
export function readOwnableDomain(text: string): NameReading {
  const name = readDomainName(text.trim().replace(/\.$/, ''));
  if (name === null) return { ok: false, problem: 'name must be a domain name such as example.com.' };
  if (name.length > NAME_MAX_CHARS)
    return { ok: false, problem: `name has more than ${NAME_MAX_CHARS} characters.` };
  const suffix = getPublicSuffix(name, { allowPrivateDomains: true });
  if (suffix === null || suffix === name)
    return { ok: false, problem: `${name} is a public suffix: register a domain under it.` };
  return { ok: true, name };
}
