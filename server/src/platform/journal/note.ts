/**
 * What a database that is restored to an earlier point must be told again: what somebody ended, forbade or
 * had erased, and who undid it. Ids, and nothing of a message; what names a person is sealed.
 */
export type Note =
  | { readonly kind: 'key_revoked'; readonly tenant_id: string; readonly api_key_id: string }
  | { readonly kind: 'account_status'; readonly tenant_id: string; readonly status: string }
  /** `tenant_id` null: on the operator's own list. `message_id`: whose bounce or complaint it was. */
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
  /** `role` null: removed. */
  | {
      readonly kind: 'member';
      readonly tenant_id: string;
      readonly user_id: string;
      readonly role: string | null;
    }
  | { readonly kind: 'operator'; readonly operator_id: string; readonly role: string | null };

export type NoteKind = Note['kind'];

/** A note with when it was made, by the clock of the process that made it. */
export interface Entry {
  readonly at: Date;
  readonly note: Note;
}

/** The fields of each kind: as they are, and sealed under the master key. */
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
