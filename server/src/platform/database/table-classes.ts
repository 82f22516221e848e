/**
 * Placement of each table once Citus distributes the database (docs/decisions/0041).
 * scripts/check-statements.mjs compares it with server/schema.sql; list a new table after those that it
 * refers to.
 */
export type TableClass = 'distributed' | 'reference' | 'local';

export const TABLE_CLASSES = {
  /**
   * By `tenant_id`, so that all rows of a tenant are on one node. Every key begins with `tenant_id`, and
   * every unique index contains it. `tenants` comes first.
   */
  distributed: [
    'tenants',
    'account_events',
    'account_settings',
    'api_keys',
    'attempts',
    'content_deletions',
    'counter_additions',
    'daily_counters',
    'delivery_queue',
    'delivery_reports',
    'domains',
    'dkim_keys',
    'domain_reports',
    'events',
    'idempotency_claims',
    'invitation_refusals',
    'leaf_contents',
    'leaves',
    'members',
    'message_certificates',
    'message_contents',
    'message_copies',
    'message_seal_claims',
    'messages',
    'paused_tenants',
    'pending_leaves',
    'quota_usage',
    'retention_sweeps',
    'scheduled_messages',
    'sealing_costs',
    'senders',
    'shares',
    'suppressions',
    'templates',
    'template_versions',
    'tenant_sequences',
    'unknown_outcomes',
    'verification_log',
    'webhook_deliveries',
    'webhook_attempts',
    'webhook_endpoints',
    'webhook_queue',
  ],
  /**
   * A copy on every node: small tables, rarely written, joined with tenants' rows or unique over all tenants.
   */
  reference: [
    'logs',
    'checkpoints',
    'certificates',
    'cosignatures',
    'renewal_stamps',
    'renewals',
    'revocation_data',
    'users',
    'one_time_links',
    'passkeys',
    'global_suppressions',
    'paused_destinations',
    'verified_domains',
  ],
  /** On the coordinator alone, never joined with tenants' rows. */
  local: [
    'authorities',
    'content_openings',
    'delivery_windows',
    'destination_notes',
    'evidence_checks',
    'installation_secrets',
    'log_tiles',
    'lost_leaves',
    'mta_sts_policies',
    'operator_events',
    'operator_links',
    'operator_passkeys',
    'operator_recovery_codes',
    'operator_sessions',
    'operators',
    'processes',
    'recovery_codes',
    'restore_state',
    'role_mails',
    'sandbox_mail',
    'schema_migrations',
    'sign_in_failures',
    'spent_challenges',
    'stamp_queue',
    'user_sessions',
    'witnesses',
  ],
} as const satisfies Record<TableClass, readonly string[]>;
