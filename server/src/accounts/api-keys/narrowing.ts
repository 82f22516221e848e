import { readDomainName } from '@acuse/mail/domain-name';
import { compareKey, MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { apiError } from '../../errors.ts';
import {
  type Narrowing,
  NOT_NARROWED,
  READ_ONLY_PARTS,
  type ReadOnlyPart,
} from '../../platform/http/http.ts';
import { createAddressMatch, isNetwork } from '../../platform/network/address-match.ts';

interface NarrowingInput {
  readonly senders?: readonly string[] | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly expires_at?: string | undefined;
  readonly read_only?: readonly ReadOnlyPart[] | undefined;
  readonly needs_approval?: boolean | undefined;
}

/**
 * `maker`: the key that makes it, whose restrictions it inherits: a field left out is as narrow as there, and
 * a given one may not be wider. Throws invalid_body, insufficient_scope.
 */
export function readNarrowing(input: NarrowingInput, now: Date, maker: Narrowing = NOT_NARROWED): Narrowing {
  const senders = input.senders?.map(readSender) ?? maker.senders;
  const networks = input.networks?.map(readNetwork) ?? maker.networks;
  const expiresAt = input.expires_at === undefined ? maker.expiresAt : readEnd(input.expires_at, now);
  const readOnly = READ_ONLY_PARTS.filter(
    (part) => input.read_only?.includes(part) === true || maker.readOnly.includes(part),
  );
  const wider =
    senders?.find((sender) => !maySendAs(maker.senders, sender)) ??
    networks?.find((network) => maker.networks !== null && !maker.networks.includes(network)) ??
    (maker.expiresAt !== null && expiresAt !== null && expiresAt > maker.expiresAt
      ? 'expires_at'
      : undefined);
  if (wider !== undefined)
    throw apiError(
      'insufficient_scope',
      `A key can only make keys that are as narrow as itself; ${wider} is beyond it.`,
    );
  const needsApproval = input.needs_approval === true || maker.needsApproval;
  return { senders, networks, expiresAt, readOnly, needsApproval };
}

/** `sender`: compareKey of an address, or `*@domain`. */
export function maySendAs(senders: readonly string[] | null, sender: string): boolean {
  return (
    senders === null ||
    senders.includes(sender) ||
    senders.includes(`*${sender.slice(sender.lastIndexOf('@'))}`)
  );
}

export function mayBeUsedFrom({ networks }: Pick<Narrowing, 'networks'>, address: string): boolean {
  return networks === null || createAddressMatch(networks)(address);
}

export function hasExpired({ expiresAt }: Pick<Narrowing, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function readSender(text: string): string {
  try {
    if (!text.startsWith('*@')) return compareKey(parseAddress(text, 'senders'));
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
  }
  const domain = readDomainName(text.slice('*@'.length));
  if (!text.startsWith('*@') || domain === null)
    throw apiError('invalid_body', `senders: ${JSON.stringify(text)} is neither an address nor *@domain.`);
  return `*@${domain}`;
}

function readNetwork(text: string): string {
  if (isNetwork(text)) return text.toLowerCase();
  throw apiError(
    'invalid_body',
    `networks: ${JSON.stringify(text)} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/48.`,
  );
}

function readEnd(text: string, now: Date): Date {
  const at = new Date(text);
  if (at > now) return at;
  throw apiError(
    'invalid_body',
    'expires_at is not a time in the future: RFC 3339 with an offset, as 2027-01-31T00:00:00Z.',
  );
}
