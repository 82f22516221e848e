import { readDomainName } from './domain-name.ts';
import type { HeaderText } from './header-text.ts';
import type { Mailbox } from './mailbox.ts';
import type { Warnings } from './warning.ts';

/** Between words and addresses of a name; kept, for the name is put together again. */
const BETWEEN = /([\s<>()[\]"',;:]+)/u;
const HAS_DOT = /[.\u3002\uff0e\uff61]/;
const AT_SIGN = /[@\ufe6b\uff20]/;

/**
 * The author as it may be shown: an address in its name stays if it is of its own domain. Of any other the
 * domain is left out (`ana@cliente.example via Tienda` is `ana via Tienda`), because a name that claims a
 * domain is what receivers take for a forgery.
 */
export function honestFrom(from: Mailbox, warnings: Warnings): Mailbox {
  const { displayName, ...bare } = from;
  if (displayName === undefined || !AT_SIGN.test(displayName)) return from;
  const words = displayName.split(BETWEEN).map((word) => withoutForeignDomain(word, from.domain));
  const name = words.join('');
  if (name === displayName) return from;
  const fix = 'a name may show addresses of the From domain only';
  const message = `The From name was shown without the domain of another address: ${fix}.`;
  warnings.add({ code: 'name_changed', field: 'from', message });
  const kept = name.trim();
  return (kept === '' ? bare : { displayName: kept as HeaderText, ...bare }) as Mailbox;
}

/** Up to its `@`, or to what looks like one, if a domain of somebody else follows. */
function withoutForeignDomain(word: string, own: string): string {
  const at = word.search(AT_SIGN);
  const domain = word.slice(at + 1);
  if (at <= 0 || !HAS_DOT.test(domain) || readDomainName(domain.replace(/\.$/, '')) === own) return word;
  return word.slice(0, at);
}
