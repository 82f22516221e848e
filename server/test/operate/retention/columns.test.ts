import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONTENT } from './support.ts';

/**
 * Columns of text, JSON and bytes that no erasure touches, by table and by why. What holds words of a message
 * is not for here: a domain lists it as content in its `erase-store.ts`, which is where it goes.
 *
 * `proof`: what a sealed message is checked with, and says nothing of it. `record`: what happened, when, with
 * which codes. `account`: what an account set up, which is its own. `operations`: of the installation.
 * `sandbox`: mail that nobody was sent, which the sandbox forgets by itself. `waiting`: of what is no message
 * yet, and deleted once it is one, refused, or a day old.
 */
const KEPT: Readonly<Record<string, Partial<Record<Why, string>>>> = {
  account_events: { record: 'actor_kind actor_name action target before after client_address request_id' },
  api_keys: {
    account:
      'name scopes secret_sha256 senders networks read_only created_by_kind created_by_name last_used_from resource',
  },
  archived_months: { operations: 'place' },
  attempts: { record: 'outcome bounce_type bounce_reason' },
  acknowledgements: { record: 'language status source', operations: 'token_sha256 code_sha256' },
  authorities: { operations: 'name last_error' },
  certificates: { proof: stamp() },
  checkpoints: { proof: 'root_hash note' },
  content_deletions: { record: 'cause reason deleted_by' },
  content_openings: { record: 'reason' },
  cosignatures: { proof: 'witness_key line' },
  delivery_queue: { operations: 'destination' },
  delivery_reports: { record: 'action' },
  delivery_cap_counts: { operations: 'receiver' },
  delivery_caps: { operations: 'source_pool source receiver period reason made_by' },
  delivery_windows: { operations: 'destination source_pool' },
  destination_notes: { operations: 'destination note source reason noted_by' },
  dkim_keys: { account: 'selector algorithm public_key private_key_sealed status' },
  domain_reports: { operations: 'kind reporter policy facts key_sha256' },
  domains: { account: 'name status challenge records' },
  evidence_checks: { operations: 'status started_by phase result error' },
  events: { record: 'type' },
  global_suppressions: { operations: 'address reason' },
  idempotency_claims: { record: 'idempotency_key' },
  installation_secrets: { operations: 'name sealed' },
  leaf_contents: { proof: 'kind canonical_hash manifest' },
  leaves: { proof: 'canonical_hash' },
  log_tiles: { proof: 'hashes' },
  lost_leaves: { proof: 'canonical_hash' },
  logs: {
    proof:
      'origin public_key private_key_sealed mldsa44_public_key mldsa44_seed_sealed end_note stop_witness stop_note stop_own_note',
  },
  message_certificates: { proof: stamp() },
  messages: {
    record: 'idempotency_key sender_address reverse_path status ended_as bounce_type bounce_reason',
    proof: 'canonical_hash',
  },
  mta_sts_policies: { operations: 'domain policy_id policy' },
  invitation_refusals: { account: 'recipient_sha256' },
  members: { account: 'role invited_as' },
  oauth_grants: {
    account: 'user_name client_sha256 client_name redirect_uri resource scopes code_challenge',
  },
  one_time_links: { account: 'kind token_sha256' },
  operator_events: {
    operations: 'phase outcome operator_name action subject reason before after error client_address',
  },
  operator_links: { operations: 'token_sha256' },
  operator_passkeys: { operations: 'credential_id public_key transports name' },
  operator_recovery_codes: { operations: 'code_sha256' },
  operator_sessions: { operations: 'token_sha256 state network client_address user_agent' },
  operators: {
    operations: 'email email_key name role locale time_zone password_phc totp_sealed totp_pending_sealed',
  },
  paused_destinations: { operations: 'destination reason paused_by' },
  paused_tenants: { operations: 'reason paused_by' },
  pdf_certificates: { proof: `facts_sha256 ${stamp()}` },
  pending_leaves: { proof: 'canonical_hash' },
  processes: { operations: 'boot_id pid_namespace roles' },
  quota_usage: { account: 'bag' },
  passkeys: { account: 'credential_id public_key transports name' },
  recovery_codes: { account: 'code_sha256' },
  restore_state: { operations: 'pending_reason' },
  renewal_stamps: { proof: `list ${stamp()}` },
  renewals: { proof: 'sums' },
  issued_documents: { proof: 'token_sha256 content' },
  revocation_data: { proof: 'sha256 kind source_url content' },
  role_mails: {
    operations:
      'role kind problem forward_path reverse_path client_address from_text subject excerpt sha256 raw',
  },
  sandbox_mail: { sandbox: 'reverse_path forward_path client_name tls raw' },
  schema_migrations: { operations: 'name checksum' },
  sealing_costs: { operations: 'kind authority' },
  send_approvals: {
    record: 'api_key_name idempotency_key request_sha256 media_type state decided_by',
    waiting: 'body summary',
  },
  senders: { account: 'address' },
  sign_in_failures: { operations: 'realm subject' },
  shares: { account: 'note created_by_name case_name', operations: 'secret_sha256' },
  spent_keys: { record: 'key_sha256' },
  spent_challenges: { operations: 'challenge_sha256' },
  stamp_queue: { operations: 'last_error' },
  suppressions: { account: 'address reason source' },
  template_versions: { account: 'subject text html variants' },
  templates: { account: 'name' },
  tenants: { account: 'name status', operations: 'source_pool' },
  unknown_outcomes: { operations: 'destination' },
  user_sessions: { account: 'token_sha256 state network client_address user_agent' },
  users: {
    account: 'email email_key name locale time_zone password_phc totp_sealed totp_pending_sealed',
  },
  verification_log: { record: 'actor_name message_id answer client_address' },
  verified_domains: { account: 'name' },
  webhook_attempts: { record: 'error' },
  webhook_deliveries: { record: 'type' },
  webhook_endpoints: {
    account: 'url events description secret_sealed previous_secret_sealed disabled_reason',
  },
  witnesses: { operations: 'witness_key last_error' },
};

type Why = 'proof' | 'record' | 'account' | 'operations' | 'sandbox' | 'waiting';

function stamp(): string {
  return 'profile issuer policy_oid serial_number hash_algorithm imprint token chain policy revocation';
}

/** `table.column` of all that could hold words. */
function columnsOfSchema(): string[] {
  const schema = readFileSync(new URL('../../../schema.sql', import.meta.url), 'utf8');
  const tables = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\);/gm)];
  expect(tables.length).toBeGreaterThan(40);
  return tables.flatMap(([, table, body]) =>
    [...body!.matchAll(/^ {2}(\w+) (\w+)/gm)]
      .filter(([, name, type]) => name !== 'constraint' && !WORDLESS.has(type!))
      .map(([, name]) => `${table}.${name}`),
  );
}

/** Types that no word fits into: any other, also one that comes to be used later, has to be decided on. */
const WORDLESS = new Set(['uuid', 'bigint', 'integer', 'smallint', 'boolean', 'timestamp', 'date', 'double']);

test('of every column that could hold words of a message it is decided whether an erasure takes them', () => {
  const content = Object.entries(CONTENT).flatMap(([table, columns]) =>
    columns.map((column) => `${table}.${column}`),
  );
  const kept = Object.entries(KEPT).flatMap(([table, whys]) =>
    Object.values(whys).flatMap((columns) => columns.split(' ').map((column) => `${table}.${column}`)),
  );
  expect([...content, ...kept].sort()).toEqual(columnsOfSchema().sort());
});
