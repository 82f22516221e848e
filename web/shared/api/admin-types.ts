// The schemas of contract/admin.json as types. Written by npm run generate; npm run check fails when stale.

export interface AccountUsage {
  /** UTC calendar month. */
  readonly month: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly resets_at: string;
  /** Certified messages. */
  readonly certified: QuotaUsage;
  /** Plain messages. */
  readonly plain: QuotaUsage;
  /** Time-stamps, and the account’s share of their cost. */
  readonly constancias: ConstanciaUsage;
}

export interface Acknowledgement {
  readonly status: AcknowledgementStatus;
  /** recipient_page: somebody who reads the recipient's mailbox acted on the page, with a code that was s… */
  readonly source: "recipient_page" | "reported_by_mail" | "operator" | null;
  /** When it was decided. */
  readonly at: string | null;
  /** Until when the recipient may acknowledge it. */
  readonly until: string;
}

/** requested: nothing came yet; acknowledged, refused: the recipient's own act; unanswered: it did not … */
export type AcknowledgementStatus = "requested" | "acknowledged" | "refused" | "unanswered";

export interface AddedGlobalSuppression {
  readonly address: string;
  /** false: it was on the list already. */
  readonly created: boolean;
}

export interface AddedPasskey {
  /** The passkey as it is listed from now on. */
  readonly passkey: Passkey;
  /** Ten codes with the first second factor, each good once and shown only once; null: there are some alr… */
  readonly recovery_codes: readonly string[] | null;
}

export interface ApiKey {
  /** UUIDv7. */
  readonly id: string;
  /** Name given to the key. */
  readonly name: string;
  /** Scopes of the key. */
  readonly scopes: readonly Scope[];
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** When the key was last used, to the minute. */
  readonly last_used_at: string | null;
  /** The IP address that it was then used from. */
  readonly last_used_from?: string | null;
  /** Addresses, and *@domain, that the key may have in From. Null: all. */
  readonly senders?: readonly string[] | null;
  /** IP addresses and networks that the key may be used from. Null: all. */
  readonly networks?: readonly string[] | null;
  /** When the key stops working. Null: never. */
  readonly expires_at?: string | null;
  /** Kinds that the key may read but not change, although messages:send would let it. domains includes th… */
  readonly read_only?: readonly ReadOnlyPart[];
  /** Each send waits until a person approves it in the portal. Until then it is refused as approval_requi… */
  readonly needs_approval?: boolean;
  /** Creator of the key. Null for keys of earlier versions. */
  readonly created_by?: ApiKeyMaker | null;
  /** Of a key that a person gave to an agent's program. Null for other keys. */
  readonly grant?: ApiKeyGrant | null;
}

export interface ApiKeyGrant {
  /** URL of the MCP server that the key is for. */
  readonly resource: string;
  /** Until when the program may renew the key; expires_at is when it must next. */
  readonly until: string;
}

export interface ApiKeyMaker {
  /** Kind of the creator. */
  readonly kind: AuditActorKind;
  /** Null for the command line. */
  readonly id: string | null;
  /** Name of the person or of the key. */
  readonly name: string;
}

export interface ApiKeyPage {
  /** The entries, in order. */
  readonly data: readonly ApiKey[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface Attention {
  readonly code: "log_stopped" | "queue_stuck" | "sealing_late" | "authority_failing" | "authority_ends_soon" | "constancias_lapsed" | "destination_closed" | "destination_paused" | "account_paused" | "domain_failing" | "domain_degraded" | "webhook_failing";
  /** A destination, an authority, a domain, an id. */
  readonly subject: string;
  /** UUIDv7. */
  readonly tenant_id: string | null;
  /** Name of that account. */
  readonly tenant_name: string | null;
  /** Since when; of what ends, until when. */
  readonly at: string | null;
  /** For people. */
  readonly text: string;
}

export interface AuditActor {
  /** Kind of the actor: a person, an API key, an operator, or Acuse itself. */
  readonly kind: AuditActorKind;
  /** Null for the command line, for automatic changes and for somebody who has not joined the account. */
  readonly id: string | null;
  /** Their name. */
  readonly name: string;
}

export type AuditActorKind = "key" | "user" | "operator" | "system";

export interface AuditEntry {
  /** UUIDv7. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
  /** Person, key or operator that acted. */
  readonly actor: AuditActor;
  /** The operation, in snake case. */
  readonly action: string;
  /** The target of the operation. */
  readonly target: string | null;
  /** The values before the change. */
  readonly before: { readonly [name: string]: unknown } | null;
  /** The values after the change. */
  readonly after: { readonly [name: string]: unknown } | null;
  /** The address that the request came from. */
  readonly client_address: string | null;
  /** Request-Id of the request. */
  readonly request_id: string | null;
}

export interface AuditEntryPage {
  /** The entries, in order. */
  readonly data: readonly AuditEntry[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface AuditOperator {
  /** UUIDv7. */
  readonly id: string;
  readonly name: string;
}

export interface AuthorityList {
  /** The entries, in order. */
  readonly data: readonly AuthorityStatus[];
}

export interface AuthorityStatus {
  readonly name: string;
  /** Failures in a row; 0: its last answer held. */
  readonly failures: number;
  /** Not asked until then, because it failed repeatedly. */
  readonly paused_until: string | null;
  readonly last_error: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly failed_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string | null;
  /** When the first certificate of its chain ends. */
  readonly chain_not_after: string | null;
  readonly ends_soon: boolean;
}

export interface Batch {
  /** UUIDv7. */
  readonly id: string;
  readonly origin: string;
  /** Leaves that this batch added. */
  readonly leaves: number;
  /** Leaves of the log with this batch. */
  readonly tree_size: number;
  /** SHA-256, lower-case hex. */
  readonly root_hash: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** null: it waits for a constancia. */
  readonly certificate: BatchCertificate | null;
  /** Witnesses that cosigned its checkpoint. */
  readonly cosignatures: number;
}

export interface BatchCertificate {
  /** UUIDv7. */
  readonly id: string;
  readonly profile: "nom151" | "rfc3161" | "development";
  readonly issuer: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly gen_time: string;
  /** When its chain ends, renewals included. */
  readonly covered_until: string | null;
}

export interface BatchPage {
  /** The entries, in order. */
  readonly data: readonly Batch[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface Bill {
  /** UTC month. */
  readonly month: string;
  /** ACUSE_CURRENCY. */
  readonly currency: string;
  /** Every account that is not of the sandbox, oldest first. */
  readonly data: readonly BillLine[];
  /** Of all accounts. */
  readonly total_cents: number;
}

export interface BillLine {
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly name: string;
  /** Certified messages accepted. */
  readonly certified: number;
  /** As it is now. */
  readonly price_per_message_cents: number;
  /** Certified messages × price. */
  readonly certified_cents: number;
  /** Plain messages accepted. */
  readonly plain: number;
  /** As it is now. */
  readonly price_per_plain_message_cents: number;
  /** Plain messages × price. */
  readonly plain_cents: number;
  /** Of both. */
  readonly total_cents: number;
  /** The authorities' charge to the operator for it; not part of the total. */
  readonly sealing_cost_cents: number;
}

export interface Bounce {
  /** How it bounced. */
  readonly type: BounceType;
  /** The reason; null for messages that bounced before reasons were kept. */
  readonly reason: BounceReason | null;
  /** reply: a server said so; report: mail that came later; acuse: no server did, it was given up or not … */
  readonly source: "reply" | "report" | "acuse";
}

/** The reason, in the words of the bounce rules; docs/guides/deliverability.md says what to do for each… */
export type BounceReason = "mailbox_unknown" | "mailbox_disabled" | "mailbox_moved" | "address_syntax" | "domain_unknown" | "domain_refuses_mail" | "mailbox_refused" | "mailbox_full" | "mailbox_busy" | "message_too_large" | "content_unreadable" | "greylisted" | "rate_limited" | "host_unreachable" | "dns_failure" | "routing_loop" | "tls_failure" | "system_error" | "system_full" | "mailer_error" | "protocol_error" | "unspecified" | "spam" | "virus" | "blocklisted" | "reputation" | "authentication" | "reverse_dns" | "relay_denied" | "sender_refused" | "not_compliant" | "content_policy" | "tls_required" | "policy" | "expired" | "suppressed";

export interface BounceReasonShare {
  /** null: before reasons were kept. */
  readonly reason: BounceReason | null;
  /** Messages that bounced for this reason. */
  readonly messages: number;
  /** Of these messages. */
  readonly share: number;
}

export type BounceType = "hard" | "soft" | "policy" | "expired" | "suppressed";

export interface BulkRequest {
  /** Domain of the recipients. */
  readonly destination?: string | null;
  /** Id of the account. */
  readonly tenant_id?: string | null;
  /** Only messages accepted before this moment (RFC 3339). */
  readonly older_than?: string | null;
  /** How many messages there are, as GET /v1/admin/queue/selection says. */
  readonly count: number;
}

export interface BulkResult {
  /** Messages that it was done to. */
  readonly done: number;
  /** Messages of the count that are as they were: call again for more than 10 000. */
  readonly left: number;
}

export interface Cap {
  /** UUIDv7. */
  readonly cap_id: string;
  /** null: any account. */
  readonly tenant_id: string | null;
  /** null: any pool. */
  readonly source_pool: string | null;
  /** EHLO name of an address; null: any. */
  readonly source: string | null;
  /** A receiver by its first domain; `*`: each by itself, with a count of its own; null: all together. */
  readonly receiver: string | null;
  readonly period: CapPeriod;
  /** Messages in a period; of a warm-up, of each day. */
  readonly steps: readonly number[];
  /** It goes up a step after each good day. */
  readonly warms_up: boolean;
  readonly reason: string;
  readonly made_by: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly made_at: string;
  /** null: until it is taken back. */
  readonly ends_at: string | null;
  /** Use in this period, the fullest first. A warm-up shows the last day with mail of each receiver. */
  readonly counts: readonly CapCount[];
}

export interface CapCount {
  /** null: all together. */
  readonly receiver: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly starts_at: string;
  /** Day of a warm-up; null: no warm-up. */
  readonly step: number | null;
  /** null: none any more. */
  readonly limit: number | null;
  /** Messages used or reserved. */
  readonly taken: number;
  /** Attempts that a server answered. */
  readonly answered: number;
  /** Of these, turned away for their number or for our reputation. */
  readonly turned_away: number;
  /** stopped: too much was turned away this day; over: the warm-up has ended; past: of an earlier period. */
  readonly state: "open" | "full" | "stopped" | "over" | "past";
}

/** In UTC. */
export type CapPeriod = "hour" | "day";

export interface Caps {
  /** Oldest first. */
  readonly data: readonly Cap[];
}

export interface CheckProblem {
  /** Rule that is broken. */
  readonly check: string;
  readonly subject: string;
  readonly detail: string;
}

export interface CheckedCounts {
  /** Number of logs. */
  readonly logs: number;
  /** Number of leaves. */
  readonly leaves: number;
  /** Number of messages. */
  readonly messages: number;
  /** Number of outcomes. */
  readonly outcomes: number;
  /** Number of erased. */
  readonly erased: number;
  /** Number of archived. */
  readonly archived: number;
  /** Number of tiles. */
  readonly tiles: number;
  /** Number of checkpoints. */
  readonly checkpoints: number;
  /** Number of certificates. */
  readonly certificates: number;
  /** Number of tenants. */
  readonly tenants: number;
}

export interface Configuration {
  readonly settings: readonly Setting[];
}

export interface ConstanciaStatus {
  /** Constancias over batches, counted up to 100,000. */
  readonly count: number;
  /** Renewals made, counted up to 100,000. */
  readonly renewals: number;
  /** When the first chain that a constancia rests on ends. */
  readonly first_end: string | null;
  /** Constancias that are to be renewed, counted up to 100,000. */
  readonly due: number;
  /** Constancias whose chain ended before they were renewed, counted up to 100,000. */
  readonly lapsed: number;
}

export interface ConstanciaUsage {
  /** Constancias over single messages requested this month. */
  readonly on_demand: number;
  /** The account's share of what the time-stamping authorities charged this month: its leaves of each bat… */
  readonly cost_cents: number;
}

export interface ContentOpening {
  /** Why. It is shown in the customer's audit log. */
  readonly reason: string;
}

export interface DecidingReply {
  /** SMTP reply; null when no reply came. */
  readonly code: number | null;
  /** Enhanced status code (RFC 3463), where there was one. */
  readonly enhanced: string | null;
  /** Text of the server's reply. */
  readonly text: string;
  /** Host name of the mail server. */
  readonly mx: string | null;
}

export interface Deferral {
  /** The reason; null: deferred before the reasons of deferrals were kept. */
  readonly reason: BounceReason | null;
  /** reply: a server said so; acuse: no server answered. */
  readonly source: "reply" | "acuse";
}

export interface DestinationNote {
  readonly destination: string;
  readonly note: DestinationNoteKind;
  /** For a limit its number; for the others 1 for yes and 0 for no. */
  readonly value: number;
  /** Learned from attempts, or written by an operator, whose note wins. */
  readonly source: "learned" | "operator";
  readonly reason: string;
  readonly noted_by: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly noted_at: string;
  /** null: until it is taken back. */
  readonly ends_at: string | null;
}

export type DestinationNoteKind = "no_pipelining" | "no_tls" | "no_ipv6" | "conversations" | "messages_per_connection" | "messages_per_minute";

export interface DestinationNotes {
  /** An operator's first, by destination. */
  readonly data: readonly DestinationNote[];
}

export interface DestinationQueue {
  readonly destination: string;
  /** null: nothing waits. */
  readonly queue: QueueGroup | null;
  /** More may wait than was counted: the 10000 that are due longest, and as many that come due next. */
  readonly more: boolean;
  readonly pause: Pause | null;
  /** Most frequent first, of a sample. */
  readonly last_replies: readonly ReplyCount[];
  /** Why its deferred messages wait, most frequent first, of a sample. */
  readonly deferral_reasons: readonly BounceReasonShare[];
  /** One per delivery process and source pool. */
  readonly windows: readonly DestinationWindow[];
  /** Notes on it, learned or written. */
  readonly notes: readonly DestinationNote[];
  /** The default for this large receiver without a note. */
  readonly shipped: readonly ShippedNote[];
  /** By account, most messages first. */
  readonly tenants: readonly QueueGroup[];
}

export interface DestinationWindow {
  readonly source_pool: string;
  /** SMTP sessions that it may have at once. */
  readonly places: number;
  /** Sessions in use. */
  readonly in_use: number;
  /** Messages that wait for a session. */
  readonly waiting: number;
  /** Closed after repeated failures, until then. */
  readonly closed_until: string | null;
}

export interface Domain {
  /** UUIDv7. */
  readonly id: string;
  /** Domain name in A-labels, lower case. */
  readonly name: string;
  /** Only a verified domain may send. */
  readonly status: "pending" | "verified" | "failing";
  readonly readiness?: DomainReadiness;
  /** Missing records that keep it from being ready, as of the last look-up. */
  readonly failing_records?: readonly string[];
  /** The DNS records to publish, and what was found. */
  readonly records: readonly DomainRecord[];
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly verified_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly checked_at: string | null;
  /** Required records are missing: after this time the domain is failing. */
  readonly grace_until: string | null;
}

export interface DomainPage {
  /** The entries, in order. */
  readonly data: readonly Domain[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

/** State of its records. ready: verified, and signed with keys that are in the DNS; degraded: verified,… */
export type DomainReadiness = "pending" | "degraded" | "ready";

export interface DomainRecord {
  /** Purpose of the record. */
  readonly purpose: "ownership" | "dkim" | "return_path" | "dmarc";
  /** For return_path, an MX record to the same host also works. */
  readonly type: "TXT" | "CNAME";
  /** Full name of the record. */
  readonly name: string;
  /** Value to publish; a TXT value longer than 255 characters goes into several strings of one record. */
  readonly value: string;
  /** True: the domain is not verified without this record. The others improve delivery. */
  readonly required: boolean;
  /** Result of the last look-up. */
  readonly status: "unchecked" | "found" | "missing" | "mismatch" | "error";
  /** Values that the last look-up found under the name, or why it failed. */
  readonly found: readonly string[];
  /** State of the key of a DKIM record: pending keys wait for their record, and retired ones keep theirs … */
  readonly key_status: "pending" | "active" | "retired" | null;
}

export interface Erasure {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly certified: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly erased_at: string;
  readonly reason: string;
  readonly erased_by: string;
  /** Bytes of the message that were still there. */
  readonly bytes: number;
  readonly already_erased: boolean;
}

export interface ErasureRequest {
  /** Why; it is kept, and the customer reads it, so give no personal data. */
  readonly reason: string;
  /** Erase evidence even within its retention period. */
  readonly force?: boolean | null;
}

/** Every error answer. */
export interface Error {
  /** The fault, and how to repair it. */
  readonly error: ErrorDetail;
}

/** Each has one HTTP status; see docs/errors.md. */
export type ErrorCode = "missing_idempotency_key" | "invalid_idempotency_key" | "invalid_body" | "invalid_address" | "invalid_parameter" | "empty_batch" | "batch_too_large" | "unauthorized" | "insufficient_scope" | "approval_required" | "approval_refused" | "tenant_suspended" | "tenant_deactivated" | "cross_origin_refused" | "reauthentication_required" | "not_found" | "template_not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "payload_too_large" | "unsupported_media_type" | "domain_not_verified" | "from_not_approved" | "recipient_suppressed" | "template_render_error" | "not_certified" | "missing_proof_data" | "idempotency_key_reused" | "accepted_before" | "send_at_out_of_range" | "invalid_link" | "weak_password" | "quota_exceeded" | "rate_limited" | "internal_error" | "unavailable";

export interface ErrorDetail {
  readonly code: ErrorCode;
  /** For people: what is wrong and how to fix it. */
  readonly message: string;
}

export interface EvidenceCheck {
  /** UUIDv7. */
  readonly id: string;
  /** interrupted: its process ended before the check did; nothing was changed. */
  readonly status: "running" | "clean" | "problems" | "failed" | "interrupted";
  readonly started_by: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly finished_at: string | null;
  readonly phase: "log" | "tenants" | null;
  /** Leaves, or accounts, done in this phase. */
  readonly done: number;
  /** Leaves, or accounts, of this phase. */
  readonly total: number;
  readonly checked: CheckedCounts | null;
  /** The first thousand. */
  readonly problems: readonly CheckProblem[];
  /** null while it runs. */
  readonly problem_count: number | null;
  readonly error: string | null;
}

export interface EvidenceCheckPage {
  /** The entries, in order. */
  readonly data: readonly EvidenceCheck[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface FoundMessage {
  /** UUIDv7. */
  readonly id: string;
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly tenant_name: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  readonly status: MessageStatus;
  readonly from: string;
  readonly to: string;
  readonly certified: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string | null;
  readonly last_reply: DecidingReply | null;
  /** How and why it bounced; null: it did not. */
  readonly bounce: Bounce | null;
  /** Why it was deferred; null: it is not. */
  readonly deferral: Deferral | null;
}

export interface FoundMessagePage {
  /** The entries, in order. */
  readonly data: readonly FoundMessage[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  /** Accounts that may have more than is shown: ask for each with tenant_id. */
  readonly more: readonly MoreOfAccount[];
}

export interface GlobalSuppression {
  /** Normalized for comparison: lower case, domain in A-labels. */
  readonly address: string;
  readonly reason: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
}

export interface GlobalSuppressionPage {
  /** The entries, in order. */
  readonly data: readonly GlobalSuppression[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface HeaderField {
  /** Name of the field, as it was written. */
  readonly name: string;
  /** Unfolded and decoded. */
  readonly value: string;
}

export interface LinkedOperator {
  readonly operator: Operator;
  readonly link: OperatorLink;
}

export interface ListedPause {
  readonly destination?: string;
  /** UUIDv7. */
  readonly tenant_id?: string;
  readonly reason: string;
  readonly paused_by: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly paused_at: string;
}

export type Locale = "es" | "en";

export interface LogKey {
  readonly algorithm: "Ed25519" | "ML-DSA-44";
  /** The id of the key, which its signatures begin with. */
  readonly id: string;
  /** The verifier key in one line, as `/log/key` has it. */
  readonly key: string;
  /** Since when what is time-stamped must have its signature; null: since the log began. */
  readonly from: string | null;
}

export interface LogStatus {
  readonly origin: string;
  /** Every key that it signs with. */
  readonly keys: readonly LogKey[];
  /** Leaves in the log. */
  readonly leaves: number;
  /** When the log ended (acuse log end), and another one went on. */
  readonly ended_at: string | null;
  /** Why nothing more is signed. */
  readonly stop: LogStop | null;
  /** Leaves that no checkpoint covers yet, counted up to 10,000. */
  readonly pending_leaves: number;
  /** Of a log that has ended: leaves that waited for it and are never sealed, counted up to 10,000. */
  readonly unsealed_leaves: number;
  /** Checkpoints that have no constancia yet, counted up to 10,000. */
  readonly unstamped: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly oldest_unstamped_at: string | null;
  /** How often a constancia for the oldest of them was asked for. */
  readonly attempts: number | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly next_attempt_at: string | null;
  readonly last_error: string | null;
}

export interface LogStop {
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** Name of its key. */
  readonly witness: string;
  /** The checkpoint that it has, signed by this log's key. */
  readonly witness_note: string;
  /** The checkpoint of this database that was held against it, and does not lead to it. */
  readonly own_note: string | null;
}

export type MailRole = "postmaster" | "abuse" | "fbl";

export interface Member {
  /** UUIDv7. */
  readonly id: string;
  /** Address of the person. */
  readonly email: string;
  /** Name of the person. */
  readonly name: string | null;
  readonly role: MemberRole;
  /** True: the person has accepted the invitation. */
  readonly state: MemberState;
  /** True: a second factor is set up. */
  readonly has_second_factor: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** When the link of the invitation stops working; null once it was accepted. */
  readonly invitation_expires_at: string | null;
}

export interface MemberPage {
  /** The entries, in order. */
  readonly data: readonly Member[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

/** Roles of a person in an account. */
export type MemberRole = "viewer" | "developer" | "owner";

export interface MemberSignInLink {
  /** Signs in once. It is shown only now. */
  readonly url: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
}

export type MemberState = "invited" | "active";

export interface MessageLink {
  /** Place of the part among all, from 0; containers are not counted. */
  readonly part: number;
  /** The address that a click opens, as a browser understands it. */
  readonly url: string;
  /** The text of the link, shortened. */
  readonly text: string;
}

export interface MessagePart {
  /** Place of the part among all, from 0; containers are not counted. */
  readonly index: number;
  /** In lower case, without parameters, as the message says. */
  readonly media_type: string;
  /** As the message says: make it safe before you use it as a path. */
  readonly filename: string | null;
  /** inline or attachment; null if the part does not say. */
  readonly disposition: "inline" | "attachment" | null;
  /** The Content-ID that cid: addresses in HTML refer to. */
  readonly content_id: string | null;
  /** Bytes of the decoded content. */
  readonly size_bytes: number;
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
}

export type MessageStatus = "scheduled" | "queued" | "sent" | "deferred" | "bounced" | "cancelled" | "complained";

export interface MoreOfAccount {
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly tenant_name: string;
  /** Older messages were not looked at; null: it has more than are shown. */
  readonly scanned_to: string | null;
}

export interface NewCap {
  /** null: any account. */
  readonly tenant_id?: string | null;
  /** null: any pool. */
  readonly source_pool?: string | null;
  /** EHLO name of an address; null: any. */
  readonly source?: string | null;
  /** A receiver by its first domain; `*`: each by itself, with a count of its own; null: all together. */
  readonly receiver?: string | null;
  readonly period?: CapPeriod | null;
  /** Messages in a period; of a warm-up, of each day. */
  readonly steps?: readonly number[] | null;
  /** A warm-up: of an address, by day. Without steps, the default plan. */
  readonly warms_up?: boolean | null;
  /** Why, for the record; it is kept. */
  readonly reason: string;
  /** It ends after so many days; without it, when it is taken back. */
  readonly days?: number | null;
}

export interface NewDestinationNote {
  /** For a limit its number; for the others 1 for yes and 0 for no. */
  readonly value: number;
  /** Why, for the record; it is kept. */
  readonly reason: string;
  /** It ends after so many days; without it, when it is taken back. */
  readonly days?: number | null;
}

export interface NewGlobalSuppression {
  readonly address: string;
  readonly reason?: string | null;
}

export interface NewOperator {
  readonly email: string;
  readonly name?: string | null;
  readonly role: OperatorRole;
}

export interface NewPasskey {
  /** As it came with the options. Good once, for 5 minutes, in the session that asked for it. */
  readonly attempt: string;
  readonly credential: PasskeyRegistration;
  /** Without one, that of the browser that asks. */
  readonly name?: string | null;
}

export interface NewPasskeyOptions {
  /** To be sent with the new passkey. */
  readonly attempt: string;
  readonly options: PasskeyCreationOptions;
}

export interface NewPassword {
  /** From 12 to 256 characters. */
  readonly password: string;
  /** From 12 to 256 characters. */
  readonly current_password?: string | null;
}

export interface NewPause {
  /** Why, for the record; it is kept. */
  readonly reason: string;
}

export interface NewTenant {
  readonly name: string;
  /** True: a send that does not say is certified. */
  readonly default_certified?: boolean | null;
  /** Certified messages per UTC month. */
  readonly quota_messages_month?: number | null;
  /** Plain messages per UTC month. */
  readonly quota_plain_messages_month?: number | null;
  /** Price per certified message, in cents. */
  readonly price_per_message_cents?: number | null;
  /** Price per plain message, in cents. */
  readonly price_per_plain_message_cents?: number | null;
  /** A send from a domain that is verified and not ready is refused as domain_not_verified. */
  readonly require_ready_domains?: boolean | null;
  /** Days that records of plain messages are kept; null: as ACUSE_PLAIN_RECORD_DAYS says. */
  readonly plain_record_days?: number | null;
}

export interface NewTenantMember {
  readonly email: string;
  readonly name?: string | null;
  readonly role?: MemberRole | null;
}

export interface OpenedContent {
  /** Closed again from then on. */
  readonly expires_at: string;
  /** The message's own header fields, in order. */
  readonly headers: readonly HeaderField[];
  /** In the order and numbering of the evidence. */
  readonly parts: readonly MessagePart[];
  /** Each link of the texts once. */
  readonly links: readonly MessageLink[];
  /** Addresses that a mail program fetches if it shows remote content: images, style sheets, frames. */
  readonly remote: readonly RemoteAddress[];
  /** True: there are more links or remote addresses than the 1,000 of each that are listed. */
  readonly truncated: boolean;
}

export interface Operator {
  /** UUIDv7. */
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: OperatorRole;
  readonly has_password: boolean;
  /** Codes of an authenticator app are asked for at sign-in. */
  readonly has_totp: boolean;
  /** A passkey signs in; a password alone does not any more. */
  readonly has_passkeys: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
}

export interface OperatorChange {
  readonly role: OperatorRole;
}

export interface OperatorEvent {
  /** UUIDv7. */
  readonly id: string;
  /** Request-Id of the answer that the operator got. */
  readonly request_id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
  readonly operator: AuditOperator;
  readonly action: string;
  /** cut_off: it was begun, and nobody knows how it ended; one under way is shown so, too. */
  readonly outcome: "done" | "refused" | "failed" | "cut_off";
  /** UUIDv7. */
  readonly tenant_id: string | null;
  /** Another target. */
  readonly subject: string | null;
  readonly reason: string | null;
  /** The changed fields before the change. */
  readonly before: { readonly [name: string]: unknown } | null;
  /** The values after the change, or its result. */
  readonly after: { readonly [name: string]: unknown } | null;
  /** Error code of a refusal. */
  readonly error: string | null;
  readonly client_address: string;
}

export interface OperatorEventPage {
  /** The entries, in order. */
  readonly data: readonly OperatorEvent[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface OperatorLink {
  /** Signs in once. It is shown only now. */
  readonly url: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
}

export interface OperatorMessage {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly tenant_name: string;
  /** null: the default pool. */
  readonly source_pool: string | null;
  readonly status: MessageStatus;
  readonly recipient: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly send_at: string | null;
  /** When it took the state that it is in. */
  readonly since: string;
  /** Attempts made. */
  readonly attempts: number;
  readonly last_reply: DecidingReply | null;
  /** It goes to the test mailbox only. */
  readonly sandbox: boolean;
  /** null: it waits no more. */
  readonly queue: QueuePlace | null;
  readonly tenant_pause: Pause | null;
  readonly destination_pause: Pause | null;
  readonly windows: readonly DestinationWindow[];
  /** Messages of its account that are due before it. */
  readonly due_before: number;
  /** Why it waits, or how it ended, in sentences. */
  readonly why: readonly string[];
  /** The From field. */
  readonly sender: string;
  readonly certified: boolean;
  readonly size_bytes: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly content_deleted_at: string | null;
  /** How and why it bounced; null: it did not. */
  readonly bounce: Bounce | null;
  /** Why it was deferred; null: it is not. */
  readonly deferral: Deferral | null;
  /** State of the acknowledgement, without what the recipient typed; null: nobody asked for one. */
  readonly acknowledgement: Acknowledgement | null;
}

export interface OperatorPage {
  /** The entries, in order. */
  readonly data: readonly Operator[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

/** support: reads, retry, cancel, pause and resume; admin: everything. */
export type OperatorRole = "admin" | "support";

export interface OperatorSession {
  readonly operator: SignedInOperator;
  /** The console is reachable from other machines: operators need a second factor. */
  readonly second_factor_required: boolean;
  /** When this operator last showed who they are. */
  readonly authenticated_at: string;
  /** When the session ends if no request comes before. */
  readonly expires_at: string;
}

export interface Overview {
  /** RFC 3339, UTC, milliseconds. */
  readonly as_of: string;
  readonly queue: QueueCounts;
  /** Age of the oldest message that waits; 0: none does. */
  readonly oldest_unsent_seconds: number;
  /** Age of the oldest leaf without a constancia; 0: none. */
  readonly oldest_unsealed_seconds: number;
  /** Messages accepted in the last minute. */
  readonly accepted_last_minute: number;
  readonly webhooks: WebhookCounts;
  /** Processes that work on this database now. */
  readonly processes: readonly SeenProcess[];
  /** Problems that somebody must look at, most urgent first; at most 20 of each kind. */
  readonly attention: readonly Attention[];
}

export interface Passkey {
  /** UUIDv7. */
  readonly id: string;
  /** Name given to the passkey. */
  readonly name: string;
  /** Synchronized by its provider, not kept on one device alone. */
  readonly synced: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly last_used_at: string | null;
}

export interface PasskeyAlgorithm {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly type: "public-key";
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly alg: number;
}

/** The result of PublicKeyCredential.toJSON(). */
export interface PasskeyAssertion {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly id: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly rawId: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly type: "public-key";
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly authenticatorAttachment?: string | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly clientExtensionResults?: { readonly [name: string]: unknown } | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly response: PasskeySignature;
}

export interface PasskeyAttestation {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly clientDataJSON: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly attestationObject: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly authenticatorData?: string | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly publicKey?: string | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly publicKeyAlgorithm?: number | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly transports?: readonly string[] | null;
}

export interface PasskeyChange {
  /** The new name. */
  readonly name: string;
}

/** For PublicKeyCredential.parseCreationOptionsFromJSON(). */
export interface PasskeyCreationOptions {
  /** 256 random bits in base64url. */
  readonly challenge: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly rp: RelyingParty;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly user: PasskeyOwner;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly pubKeyCredParams: readonly PasskeyAlgorithm[];
  /** In milliseconds. */
  readonly timeout: number;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly excludeCredentials: readonly PasskeyDescriptor[];
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly authenticatorSelection: PasskeyDemands;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly attestation: "none";
}

export interface PasskeyDemands {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly residentKey: "required";
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly requireResidentKey: boolean;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly userVerification: "required";
}

export interface PasskeyDescriptor {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly type: "public-key";
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly id: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly transports: readonly string[];
}

/** Oldest first; at most 20. */
export interface PasskeyList {
  /** The entries, in order. */
  readonly data: readonly Passkey[];
}

export interface PasskeyOwner {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly id: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly name: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly displayName: string;
}

export interface PasskeyProof {
  /** As it came with the options. Good once, for 5 minutes, in the session that asked for it. */
  readonly attempt: string;
  readonly credential: PasskeyAssertion;
}

export interface PasskeyProofOptions {
  /** To be sent with the passkey. */
  readonly attempt: string;
  readonly options: PasskeyRequestOptions;
}

/** The result of PublicKeyCredential.toJSON(). */
export interface PasskeyRegistration {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly id: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly rawId: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly type: "public-key";
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly authenticatorAttachment?: string | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly clientExtensionResults?: { readonly [name: string]: unknown } | null;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly response: PasskeyAttestation;
}

/** For PublicKeyCredential.parseRequestOptionsFromJSON(). */
export interface PasskeyRequestOptions {
  /** 256 random bits in base64url. */
  readonly challenge: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly rpId: string;
  /** In milliseconds. */
  readonly timeout: number;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly userVerification: "required";
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly allowCredentials: readonly PasskeyDescriptor[];
}

export interface PasskeySignature {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly clientDataJSON: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly authenticatorData: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly signature: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly userHandle?: string | null;
}

export interface Pause {
  readonly reason: string;
  readonly paused_by: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly paused_at: string;
}

export interface PauseState {
  readonly destination?: string;
  /** UUIDv7. */
  readonly tenant_id?: string;
  readonly paused: boolean;
  readonly reason?: string;
  readonly paused_by?: string;
  /** Messages that came due because it was resumed. */
  readonly due?: number;
}

export interface Queue {
  readonly by: QueueKey;
  /** null: nothing waits. */
  readonly total: QueueGroup | null;
  /** More may wait than was counted: the 10000 that are due longest, and as many that come due next. */
  readonly more: boolean;
  /** Most messages first. */
  readonly groups: readonly QueueGroup[];
  /** Every pause there is, whatever the filter. */
  readonly paused: readonly ListedPause[];
}

export interface QueueCounts {
  /** Messages that are due. */
  readonly due: number;
  /** Messages that are being handled. */
  readonly held: number;
  /** Messages that wait for their next attempt, or are paused. */
  readonly waiting: number;
}

export interface QueueGroup {
  /** A destination, the id of an account or an age; empty for the total. */
  readonly key: string;
  /** Messages that are due now. */
  readonly due: number;
  /** Messages that delivery processes are handling. */
  readonly held: number;
  /** Messages that wait for their next attempt or for a cap, or are paused. */
  readonly waiting: number;
  /** Those of them that wait for a cap: see the caps. */
  readonly capped: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly oldest_at: string;
  /** When the next one comes due; past for those that are. */
  readonly next_at: string;
}

export type QueueKey = "destination" | "tenant" | "age";

export interface QueuePlace {
  readonly destination: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly due_at: string;
  /** While a delivery process handles it. */
  readonly leased_until: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
  /** Attempts begun. */
  readonly attempt: number;
  /** The cap that it waits for. */
  readonly held_by: string | null;
}

export interface QueueSelection {
  /** Messages that wait, those that are being handed over included. */
  readonly total: number;
  /** Deferred messages that wait for their next attempt and are not paused. */
  readonly retryable: number;
  /** Messages that no delivery process is handling. */
  readonly cancellable: number;
}

export interface QuotaUsage {
  /** Messages accepted this month; replays and refused sends are not counted. */
  readonly used: number;
  /** The quota; null if there is none. */
  readonly quota: number;
  /** Messages left of it. */
  readonly remaining: number;
  /** Price of the usage this month, in cents. */
  readonly price_cents: number;
}

export interface Rates {
  /** Each day of the period. */
  readonly days: number;
  /** First UTC day of the window. */
  readonly from: string;
  /** Last UTC day of the window: today. */
  readonly to: string;
  readonly counters: RatesCounters;
  /** The rates over the period. */
  readonly rates: RatesFractions;
  /** One entry per day of the window, including days with zeros. */
  readonly daily: readonly RatesDay[];
  /** Why messages accepted in the window bounced, most frequent first; of the latest 10000. */
  readonly bounce_reasons?: readonly BounceReasonShare[];
  /** Why messages that are deferred now wait, whenever they were accepted, most frequent first; of 10000. */
  readonly deferral_reasons?: readonly BounceReasonShare[];
}

/** A message counts once per counter, on the UTC day when it first entered that state. */
export interface RatesCounters {
  /** Messages that were accepted. */
  readonly ingested: number;
  /** Messages that recipients’ servers took. */
  readonly sent: number;
  /** Messages that were deferred at least once. */
  readonly deferred: number;
  /** Messages that bounced. */
  readonly bounced: number;
  /** Messages that recipients called spam. */
  readonly complained: number;
  /** Messages that were sealed. */
  readonly sealed: number;
}

export interface RatesDay {
  /** UTC day. */
  readonly date: string;
  /** Messages that were accepted. */
  readonly ingested: number;
  /** Messages that recipients’ servers took. */
  readonly sent: number;
  /** Messages that were deferred at least once. */
  readonly deferred: number;
  /** Messages that bounced. */
  readonly bounced: number;
  /** Messages that recipients called spam. */
  readonly complained: number;
  /** Messages that were sealed. */
  readonly sealed: number;
}

export interface RatesFractions {
  /** sent / ingested; null if the divisor is 0. */
  readonly delivery: number | null;
  /** deferred / ingested; null if the divisor is 0. */
  readonly deferral: number | null;
  /** bounced / ingested; null if the divisor is 0. */
  readonly bounce: number | null;
  /** complained / sent; null if the divisor is 0. */
  readonly complaint: number | null;
  /** sealed / certified ingested; null if the divisor is 0. */
  readonly seal: number | null;
}

export type ReadOnlyPart = "domains" | "webhooks";

/** One of them. */
export interface Reauthentication {
  /** From 12 to 256 characters. */
  readonly password?: string | null;
  /** Six digits of the authenticator app. */
  readonly code?: string | null;
  /** A recovery code, good once. */
  readonly recovery_code?: string | null;
  /** The browser’s answer to the passkey’s challenge. */
  readonly passkey?: PasskeyProof | null;
}

export interface RecoveryCodes {
  /** Ten codes, each good once. They are shown only once. */
  readonly recovery_codes: readonly string[];
}

export interface RelyingParty {
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly id: string;
  /** As WebAuthn has it (Web Authentication Level 3). */
  readonly name: string;
}

export interface RemoteAddress {
  /** Place of the part among all, from 0; containers are not counted. */
  readonly part: number;
  /** The address that would be loaded. */
  readonly url: string;
}

export interface Renewal {
  /** Constancias renewed now. */
  readonly renewed: number;
  /** Not renewed now; tried again later. */
  readonly postponed: number;
  readonly reasons: readonly string[];
  /** More are due: call again. */
  readonly more: boolean;
}

export interface ReplyCount {
  readonly code: number | null;
  readonly text: string;
  /** Waiting messages whose last reply this was. */
  readonly count: number;
}

export type RetentionCount = "plain_due" | "records_due" | "certified_past" | "deleted_after_days" | "erased";

export interface RetentionStatus {
  /** Retention period of the content of plain messages, in days. */
  readonly plain_days: number;
  /** Days that the record of a plain message is kept, unless its account has other days. */
  readonly record_days: number;
  /** Retention period of the evidence of certified messages, in years. */
  readonly certified_years: number;
  /** Plain messages past their period whose content is still there. */
  readonly plain_due: number;
  /** Records of plain messages past their period. */
  readonly records_due: number;
  /** Records of plain messages that were deleted. */
  readonly records_deleted: number;
  /** When an installation that comes from an earlier version begins to delete records; null: it does. */
  readonly records_begin_at: string | null;
  /** Certified messages past their period: only an operator erases them. */
  readonly certified_past: number;
  /** Messages whose content was deleted because their period was over. */
  readonly deleted_after_days: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly last_deleted_at: string | null;
  /** Messages that were erased on request. */
  readonly erased: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly last_erased_at: string | null;
  /** Counts that stopped after 10000 messages: there may be more. */
  readonly at_least: readonly RetentionCount[];
}

export interface RoleMail {
  readonly id: string;
  readonly role: MailRole;
  readonly kind: RoleMailKind;
  /** Why a complaint, a read receipt or a report of a receiver had no effect. no_message: it names no mes… */
  readonly problem: "no_message" | "not_authentic" | "not_an_objection" | "sender_not_proven" | "not_a_report" | "not_our_domain" | null;
  /** RCPT TO. */
  readonly to: string;
  /** MAIL FROM; empty for <>. */
  readonly mail_from: string;
  readonly client_address: string;
  /** From, as its writer has it. */
  readonly from: string;
  readonly subject: string;
  /** The beginning of what it says. */
  readonly text: string;
  /** The message that it seems to be about. */
  readonly message_id: string | null;
  readonly size_bytes: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly received_at: string;
}

/** complaint: from a feedback loop; report: a delivery status notification; automatic: an answer by a p… */
export type RoleMailKind = "complaint" | "report" | "automatic" | "letter";

export interface RoleMailPage {
  /** The entries, in order. */
  readonly data: readonly RoleMail[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export type Scope = "messages:send" | "evidence:read" | "suppressions:write" | "api_keys:write";

export interface SealingCost {
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly kind: "batch" | "message" | "renewal";
  readonly authority: string;
  /** For batches their leaves, else the number of constancias. */
  readonly items: number;
  readonly cost_cents: number;
}

export interface SealingCosts {
  /** UTC month. */
  readonly month: string;
  /** ACUSE_CURRENCY. */
  readonly currency: string;
  readonly items: readonly SealingCost[];
}

export interface SealingStatus {
  /** No authority is configured: the constancias prove nothing in court. */
  readonly development: boolean;
  readonly logs: readonly LogStatus[];
  readonly authorities: readonly AuthorityStatus[];
  readonly constancias: ConstanciaStatus;
  readonly costs: SealingCosts;
}

/** One of them. */
export interface SecondFactorProof {
  /** Six digits of the authenticator app. */
  readonly code?: string | null;
  /** A recovery code, good once. */
  readonly recovery_code?: string | null;
  /** The browser’s answer to the passkey’s challenge. */
  readonly passkey?: PasskeyProof | null;
}

export interface SeenProcess {
  /** UUIDv7. */
  readonly id: string;
  readonly pid: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly seen_at: string;
}

export interface SelfChange {
  readonly email?: string | null;
  readonly name?: string | null;
  /** null: as the browser asks. */
  readonly locale?: Locale | null;
  readonly time_zone?: string | null;
}

export interface Setting {
  readonly name: string;
  /** Secrets are masked; null: there is none. */
  readonly value: string | null;
  readonly source: "environment" | "default";
  /** Form of its value. */
  readonly expected: string;
  /** Purpose of the setting. */
  readonly doc: string;
  /** Where it belongs. */
  readonly group: "delivery" | "http" | "console" | "smtp" | "evidence" | "retention" | "limits" | "webhooks" | "storage" | "process" | "commands";
  /** When a change counts: at_start, at the next start; file_watched, new contents of the file at once; b… */
  readonly read: "at_start" | "file_watched" | "by_commands";
}

export interface ShippedNote {
  readonly note: DestinationNoteKind;
  /** For a limit its number; for the others 1 for yes and 0 for no. */
  readonly value: number;
  readonly receiver: string;
  readonly as_of: string;
  /** null: a caution of this program. */
  readonly published: string | null;
}

/** email and password, or link alone, or passkey alone. */
export interface SignIn {
  /** Address of the person. */
  readonly email?: string | null;
  /** From 12 to 256 characters. */
  readonly password?: string | null;
  /** The part after the # of a one-time link. */
  readonly link?: string | null;
  /** With link: ends another person's session that is open in this browser, if there is one. */
  readonly replace_session?: boolean | null;
  /** The browser’s answer to the passkey’s challenge. */
  readonly passkey?: PasskeyProof | null;
}

export interface SignInState {
  /** Missing steps, if any. */
  readonly state: "signed_in" | "second_factor";
  /** Accepted second factors; enrol: one must be set up first. */
  readonly methods: readonly ("passkey" | "totp" | "recovery_code" | "enrol")[];
}

export interface SignedInOperator {
  /** UUIDv7. */
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: OperatorRole;
  readonly has_password: boolean;
  /** Codes of an authenticator app are asked for at sign-in. */
  readonly has_totp: boolean;
  /** A passkey signs in; a password alone does not any more. */
  readonly has_passkeys: boolean;
  /** null: as the browser asks. */
  readonly locale: Locale | null;
  readonly time_zone: string;
}

export interface SuppressionImport {
  /** Addresses that were added. */
  readonly created: number;
  /** Lines whose address was on the list, or stands further up in the file. */
  readonly known: number;
  /** Lines that were refused. */
  readonly failed: number;
  /** Each refused line with its reason. */
  readonly failures: readonly SuppressionImportFailure[];
}

export interface SuppressionImportFailure {
  /** Line of the file, from 1. */
  readonly line: number;
  /** Why the line was refused. */
  readonly error: ErrorDetail;
}

export interface Tenant {
  /** UUIDv7. */
  readonly id: string;
  readonly name: string;
  readonly status: TenantStatus;
  /** Its mail goes to the built-in mailbox only. */
  readonly sandbox: boolean;
  /** Pool of ACUSE_SOURCE_POOLS that its mail is sent from. */
  readonly source_pool: string;
  /** True: a send that does not say is certified. */
  readonly default_certified: boolean;
  /** Certified messages per UTC month. */
  readonly quota_messages_month: number;
  /** Plain messages per UTC month. */
  readonly quota_plain_messages_month: number;
  /** Price per certified message, in cents. */
  readonly price_per_message_cents: number;
  /** Price per plain message, in cents. */
  readonly price_per_plain_message_cents: number;
  /** A send from a domain that is verified and not ready is refused as domain_not_verified. */
  readonly require_ready_domains?: boolean;
  /** Days that records of plain messages are kept; null: as ACUSE_PLAIN_RECORD_DAYS says. */
  readonly plain_record_days?: number | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
}

export interface TenantChange {
  readonly name?: string | null;
  readonly status?: TenantStatus | null;
  /** Pool of ACUSE_SOURCE_POOLS that its mail is sent from. */
  readonly source_pool?: string | null;
  /** True: a send that does not say is certified. */
  readonly default_certified?: boolean | null;
  /** Certified messages per UTC month. */
  readonly quota_messages_month?: number | null;
  /** Plain messages per UTC month. */
  readonly quota_plain_messages_month?: number | null;
  /** Price per certified message, in cents. */
  readonly price_per_message_cents?: number | null;
  /** Price per plain message, in cents. */
  readonly price_per_plain_message_cents?: number | null;
  /** A send from a domain that is verified and not ready is refused as domain_not_verified. */
  readonly require_ready_domains?: boolean | null;
  /** Days that records of plain messages are kept; null: as ACUSE_PLAIN_RECORD_DAYS says. */
  readonly plain_record_days?: number | null;
}

export interface TenantMemberLink {
  /** UUIDv7. */
  readonly user_id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly link: MemberSignInLink;
}

export interface TenantPage {
  /** The entries, in order. */
  readonly data: readonly Tenant[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface TenantQueue {
  /** UUIDv7. */
  readonly tenant_id: string;
  readonly name: string;
  /** null: nothing waits. */
  readonly queue: QueueGroup | null;
  /** More may wait than was counted: the 10000 that are due longest, and as many that come due next. */
  readonly more: boolean;
  readonly pause: Pause | null;
  /** Most frequent first, of a sample. */
  readonly last_replies: readonly ReplyCount[];
  /** Why its deferred messages wait, most frequent first, of a sample. */
  readonly deferral_reasons: readonly BounceReasonShare[];
  /** Most messages first. */
  readonly destinations: readonly QueueGroup[];
}

/** A suspended or deactivated account is refused every request. */
export type TenantStatus = "active" | "suspended" | "deactivated";

export interface TenantWebhook {
  /** UUIDv7. */
  readonly id: string;
  /** Scheme and host of its URL; the rest may hold a secret. */
  readonly host: string;
  /** Name that its account gave it. */
  readonly description: string | null;
  readonly enabled: boolean;
  readonly disabled_reason: "gone" | "failing" | "manual" | null;
  /** First failure since the last success. */
  readonly failing_since: string | null;
  /** When it is disabled if it does nothing but fail until then. */
  readonly disables_at: string | null;
  /** null: none is on record for its newest deliveries. */
  readonly last_attempt_at: string | null;
  /** null: no answer came. */
  readonly last_status_code: number | null;
  /** Why the last attempt failed; null: it did not. */
  readonly last_error: string | null;
}

export interface TenantWebhookPage {
  /** The entries, in order. */
  readonly data: readonly TenantWebhook[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface TotpCode {
  /** Six digits of the authenticator app. */
  readonly code: string;
}

export interface TotpSecret {
  /** Base 32, to be typed. */
  readonly secret: string;
  /** otpauth://totp/… */
  readonly uri: string;
  /** The same as a QR code: an SVG document. */
  readonly qr_svg: string;
}

export interface UserSession {
  /** UUIDv7. */
  readonly id: string;
  /** The one that asks. */
  readonly current: boolean;
  /** Browser and system, as far as they say. */
  readonly device: string;
  /** The address that it was last used from. */
  readonly client_address: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** To the minute. */
  readonly last_seen_at: string;
}

export interface UserSessionList {
  /** The entries, in order. */
  readonly data: readonly UserSession[];
}

export interface WebhookCounts {
  /** Deliveries that are due. */
  readonly due: number;
  /** Deliveries that are being handled. */
  readonly held: number;
  /** Deliveries that wait for their next attempt, or are paused. */
  readonly waiting: number;
}

export interface WitnessList {
  /** How many of their operators a checkpoint should have. */
  readonly quorum: number;
  /** The entries, in order. */
  readonly data: readonly WitnessStatus[];
}

export interface WitnessStatus {
  readonly origin: string;
  /** Name of its key. */
  readonly name: string;
  /** Its verifier key. */
  readonly key: string;
  /** null: it is no longer configured. */
  readonly url: string | null;
  /** Size of the checkpoint that it cosigned last. */
  readonly tree_size: number;
  /** Failures in a row. */
  readonly failures: number;
  readonly last_error: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly next_attempt_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly cosigned_at: string | null;
}
