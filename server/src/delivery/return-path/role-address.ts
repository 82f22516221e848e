/**
 * The addresses that every mail host has for people and programs that were never told a return path. Pure.
 */

/** RFC 2142 §4, §5; fbl is what providers are told when one enrols in their feedback loops. */
export const ROLES = ['postmaster', 'abuse', 'fbl'] as const;
export type Role = (typeof ROLES)[number];

export interface RoleAddress {
  readonly role: Role;
  /** Lower case; null: `postmaster` alone, which every host takes. RFC 5321 §4.5.1 */
  readonly host: string | null;
}

/** Null: no role. In any case, for no other mailbox of a mail host may be meant. RFC 5321 §4.5.1 */
export function readRole(address: string): RoleAddress | null {
  const at = address.lastIndexOf('@');
  const local = (at === -1 ? address : address.slice(0, at)).toLowerCase();
  const role = ROLES.find((one) => one === local);
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
