import { hash } from 'node:crypto';
import type { HeaderText } from '@acuse/mail/header-text';
import type { Tenant } from '../accounts/tenants/store.ts';

/** Gmail wants 5 to 15 constant characters per sender. */
const SENDER_ID_CHARS = 15;

/** Cached while the account is. */
const senders = new WeakMap<Tenant, HeaderText>();

/** The account's part of Feedback-ID: derived from its id, which it does not reveal. */
export function feedbackSender(tenant: Tenant): HeaderText {
  const known = senders.get(tenant);
  if (known !== undefined) return known;
  const made = hash('sha256', `acuse/feedback-id/v1\n${tenant.tenantId}`, 'hex').slice(0, SENDER_ID_CHARS);
  senders.set(tenant, made as HeaderText);
  return made as HeaderText;
}
