type ChangedKind =
  | 'domains'
  | 'senders'
  | 'templates'
  | 'suppressions'
  | 'webhooks'
  | 'api-keys'
  | 'approvals'
  | 'members'
  | 'account';

const KINDS: readonly (readonly [RegExp, ChangedKind])[] = [
  [/api_key|grant/, 'api-keys'],
  [/_send$/, 'approvals'],
  [/domain|dkim/, 'domains'],
  [/sender/, 'senders'],
  [/template/, 'templates'],
  [/suppression/, 'suppressions'],
  [/webhook/, 'webhooks'],
  [/member|link|factor|totp|passkey|password/, 'members'],
  [/account|policy/, 'account'],
];

export function changedKind(action: string): ChangedKind | null {
  return KINDS.find(([part]) => part.test(action))?.[1] ?? null;
}
