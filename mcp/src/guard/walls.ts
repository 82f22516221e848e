/** To whom, and as whom: asked of each preview and of each send. */
import type { Account } from '@acuse/client';
import type { Config } from '../config.ts';
import { Refusal } from '../refusal.ts';
import { isWalled } from '../session.ts';
import { type Address, listed, readAddress, readSender } from './address.ts';

/** Where a message goes, in the form that is compared and sent. */
export interface Route {
  readonly to: Address;
  readonly from: Address & { readonly header: string };
  readonly replyTo: Address | null;
}

const PERSON =
  'Report this to the person you work for: only they can change the list. Do not try other spellings.';

/** Throws Refusal. */
export function routeOf(
  input: { readonly to: string; readonly from: string; readonly reply_to?: string | undefined },
  account: Account,
  config: Config,
): Route {
  const asked = addressOf(input.to, 'to');
  const from = readSender(input.from);
  if (from === null)
    throw malformed('from', 'one address, or a plain name and the address in angle brackets');
  const answers = input.reply_to === undefined ? null : addressOf(input.reply_to, 'reply_to');
  if (!isWalled(account, config))
    throw new Refusal(
      'sending_disabled',
      'This server has no list of recipients, so it sends nothing.',
      PERSON,
    );
  const to = reachable(config, asked, 'to');
  const replyTo = answers && reachable(config, answers, 'reply_to');
  if (config.from !== null && listed(config.from, from) === null)
    throw new Refusal('from_not_allowed', 'This server does not send from that address.', PERSON);
  return { to, from, replyTo };
}

/**
 * The mailbox to write to, null for one that is not on the list. Without a list only the sandbox gets here:
 * its mail goes nowhere but its own mailbox.
 */
export function mayReach(config: Config, address: Address): Address | null {
  return config.recipients === null ? address : listed(config.recipients, address);
}

function reachable(config: Config, address: Address, field: string): Address {
  const mailbox = mayReach(config, address);
  if (mailbox !== null) return mailbox;
  throw new Refusal(
    'recipient_not_allowed',
    `${field} is not on this server's list of recipients. Nothing was sent.`,
    PERSON,
  );
}

export function addressOf(text: string, field: string): Address {
  const address = readAddress(text);
  if (address === null) throw malformed(field, 'exactly one address, local@domain, without a name');
  return address;
}

function malformed(field: string, form: string): Refusal {
  return new Refusal(
    'invalid_address',
    `${field} must be ${form}.`,
    'Correct the address and preview again.',
  );
}
