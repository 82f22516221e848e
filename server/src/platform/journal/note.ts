/**
 * Changes that a restored database must make again: ends, bans, erasures, and their reversals. Ids only; data
 * about people is sealed.
 */
export type Note =
  | { readonly kind: 'key_revoked'; readonly tenant_id: string; readonly api_key_id: string }
  | { readonly kind: 'account_status'; readonly tenant_id: string; readonly status: string }
  /** `tenant_id` null: the operator's list. `message_id`: what bounced or caused the complaint. */
  | {
      readonly kind: 'suppressed';
      readonly tenant_id: string | null;
      readonly address: string;
      readonly reason: string;
      readonly source: string;
      readonly message_id: string | null;
    }
  | { readonly kind: 'unsuppressed'; readonly tenant_id: string | null; readonly address: string }
  | {
      readonly kind: 'erased';
      readonly tenant_id: string;
      readonly message_id: string;
      readonly reason: string;
      readonly by: string;
    }
  | {
      readonly kind: 'member';
      readonly tenant_id: string;
      readonly user_id: string;
      readonly role: string | null;
    }
  | { readonly kind: 'operator'; readonly operator_id: string; readonly role: string | null };

export type NoteKind = Note['kind'];

export interface Entry {
  readonly at: Date;
  readonly note: Note;
}

/** Fields of each kind: open, and sealed under the master key. */
export const FIELDS: { readonly [Kind in NoteKind]: { open: readonly string[]; sealed: readonly string[] } } =
  {
    key_revoked: { open: ['tenant_id', 'api_key_id'], sealed: [] },
    account_status: { open: ['tenant_id', 'status'], sealed: [] },
    suppressed: { open: ['tenant_id', 'source', 'message_id'], sealed: ['address', 'reason'] },
    unsuppressed: { open: ['tenant_id'], sealed: ['address'] },
    erased: { open: ['tenant_id', 'message_id'], sealed: ['reason', 'by'] },
    member: { open: ['tenant_id', 'user_id', 'role'], sealed: [] },
    operator: { open: ['operator_id', 'role'], sealed: [] },
  };
