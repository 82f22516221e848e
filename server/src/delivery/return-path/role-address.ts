/** Role addresses of every mail host. Pure. */

/** RFC 2142 §4, §5; fbl is the address for enrolling in feedback loops. */
export const ROLES = ['postmaster', 'abuse', 'fbl'] as const;
export type Role = (typeof ROLES)[number];

/** Where read receipts go: what is added to Disposition-Notification-To. RFC 8098 §2.1 */
export const RECEIPT_BOX = 'receipt';

/** Mailboxes for reports about domains: `rua` of DMARC and of TLS. */
const REPORT_BOXES = ['dmarc', 'tlsrpt'] as const;
type ReportBox = (typeof REPORT_BOXES)[number];

const BOXES = [...ROLES, ...REPORT_BOXES, RECEIPT_BOX] as const;

export interface RoleAddress {
  readonly role: Role | ReportBox | typeof RECEIPT_BOX;
  /** Lower case; null: `postmaster` alone, which every host takes. RFC 5321 §4.5.1 */
  readonly host: string | null;
}

export function isReportBox(role: RoleAddress['role']): role is ReportBox {
  return REPORT_BOXES.some((one) => one === role);
}

/** Null: no role. In any case, for no other mailbox of a mail host may be meant. RFC 5321 §4.5.1 */
export function readRole(address: string): RoleAddress | null {
  const at = address.lastIndexOf('@');
  const local = (at === -1 ? address : address.slice(0, at)).toLowerCase();
  const role = BOXES.find((one) => one === local);
  if (role === undefined) return null;
  if (at === -1) return role === 'postmaster' ? { role, host: null } : null;
  return {
    role,
    host: address
      .slice(at + 1)
      .toLowerCase()
      .replace(/\.$/, ''),
  };
}
