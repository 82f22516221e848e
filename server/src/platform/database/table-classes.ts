/**
 * Where the rows of each table are, once the database is distributed by Citus (docs/decisions/0041). Held
 * against server/schema.sql by scripts/check-statements.mjs: a new table says its class here, after those
 * that it refers to.
 */
export type TableClass = 'distributed' | 'reference' | 'local';

export const TABLE_CLASSES = {
  /**
   * On the node of their tenant, by `tenant_id`: all rows of a tenant are on one node, whatever the table.
   * Each key leads with `tenant_id`, and a unique index contains it. `tenants` first, the others go with it.
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
   * A copy on every node, which each write reaches in one commit: few rows, rarely written, that are joined
   * with a tenant's rows or have a key that is unique over all tenants.
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
  /** On the coordinator alone, reached from every node, and never joined with a tenant's rows. */
  local: [
    'authorities',
    'content_openings',
    'delivery_windows',
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
