/** What an account has beside messages, by the path that lists it. */
export type ChangedKind =
  | 'domains'
  | 'senders'
  | 'templates'
  | 'suppressions'
  | 'webhooks'
  | 'api-keys'
  | 'members'
  | 'account';

/** A part of an action's name → what it changes. */
const KINDS: readonly (readonly [RegExp, ChangedKind])[] = [
  [/api_key/, 'api-keys'],
  [/domain|dkim/, 'domains'],
  [/sender/, 'senders'],
  [/template/, 'templates'],
  [/suppression/, 'suppressions'],
  [/webhook/, 'webhooks'],
  [/member|link|factor|totp|passkey|password/, 'members'],
  [/account|policy/, 'account'],
];

/** What an entry of the audit log has changed, as lists are named; null: nothing but the log. */
export function changedKind(action: string): ChangedKind | null {
  return KINDS.find(([part]) => part.test(action))?.[1] ?? null;
}
