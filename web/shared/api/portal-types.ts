// The schemas of contract/portal.json as types. Written by npm run generate; npm run check fails when stale.

export interface Account {
  /** UUIDv7. */
  readonly id: string;
  /** Name of the account, as its operator wrote it. */
  readonly name: string;
  /** Only an active account may send. */
  readonly status: AccountStatus;
  /** Mail of this account goes only to the built-in mailbox. */
  readonly sandbox: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The API key that this request was made with; null in the portal. */
  readonly api_key: CallingKey | null;
  /** Settings that the operator made for the account. */
  readonly settings: AccountSettings;
  /** Use of the account this UTC month, and its quotas. */
  readonly usage: AccountUsage;
}

export interface AccountEvent {
  readonly type: RecordedEventType;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  readonly data: AccountEventData;
}

/** The ids and the fields of the type; after an erasure, without addresses, subject and replies. */
export interface AccountEventData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
}

export interface AccountEventPage {
  /** The entries, in order. */
  readonly data: readonly AccountEvent[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  /** On a page that is short because matches are rare: created_at of the last event read. Continue with n… */
  readonly scanned_to: string | null;
}

export interface AccountPolicy {
  /** As its people and invitations show it. */
  readonly name: string;
  /** People without a second factor cannot open anything until they have one. */
  readonly require_second_factor: boolean;
}

export interface AccountPolicyChange {
  /** As its people and invitations show it. */
  readonly name?: string | null;
  /** People without a second factor cannot open anything until they have one. */
  readonly require_second_factor?: boolean | null;
}

export interface AccountSettings {
  /** True: a send that does not set certified is certified; always applies to message/rfc822. */
  readonly default_certified: boolean;
  /** Monthly quota of certified messages. */
  readonly quota_messages_month: number;
  /** Monthly quota of plain messages. */
  readonly quota_plain_messages_month: number;
  /** Price per certified message, in cents. */
  readonly price_per_message_cents: number;
  /** Price per plain message, in cents. */
  readonly price_per_plain_message_cents: number;
  /** A send from a domain that is verified and not ready is refused as domain_not_verified. */
  readonly require_ready_domains?: boolean;
  /** Days after which a plain message is deleted with its record; sent again, its Idempotency-Key is refu… */
  readonly plain_record_days?: number;
}

export type AccountStatus = "active" | "suspended" | "deactivated";

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

/** Certified only. request: ask the recipient to acknowledge receipt. The mail gets a link and an addre… */
export type AcknowledgementRequest = "request";

/** requested: nothing came yet; acknowledged, refused: the recipient's own act; unanswered: it did not … */
export type AcknowledgementStatus = "requested" | "acknowledged" | "refused" | "unanswered";

/** Person, key or visitor that asked. */
export interface Actor {
  /** key: an API key. user: a person, in the portal. share: somebody with a shared link. */
  readonly kind: "key" | "user" | "share";
  /** Id of the key, the person or the share. It may be gone since. */
  readonly id: string;
  /** Its name at that time: of a share, its note. */
  readonly name: string;
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

export interface ApiKeyWithSecret {
  /** UUIDv7. */
  readonly id: string;
  /** Name given to the key. */
  readonly name: string;
  /** Scopes of the key. */
  readonly scopes: readonly Scope[];
  /** The API key itself. It is shown only once. */
  readonly key: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
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
}

export interface Approval {
  /** UUIDv7. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly api_key: AskingKey;
  /** When the key asked. */
  readonly asked_at: string;
  /** Until then it is kept; one that still waits is then over. */
  readonly ends_at: string;
  /** Null while it waits. */
  readonly decided_at: string | null;
  /** Null while it waits. */
  readonly decided_by: string | null;
  /** The message that was sent. Null unless approved. */
  readonly message_id: string | null;
  /** Null once it is decided: its content is deleted. */
  readonly summary: ApprovalSummary | null;
}

export interface ApprovalContent {
  /** Identifies what was shown: an approval must send it back. */
  readonly shown: string;
  /** The sender. */
  readonly from: string;
  /** Each gets a message of its own. */
  readonly recipients: readonly ApprovalRecipient[];
  /** Its subject. */
  readonly subject: string;
  /** Whether it is sealed as evidence. */
  readonly certified: boolean;
  /** When it is sent. Null: at once. */
  readonly send_at: string | null;
  /** The recipient is asked to acknowledge it. */
  readonly asks_acknowledgement: boolean;
  /** Its header fields, parts and links. */
  readonly parts: MessageParts;
}

export interface ApprovalDetail {
  /** UUIDv7. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly api_key: AskingKey;
  /** When the key asked. */
  readonly asked_at: string;
  /** Until then it is kept; one that still waits is then over. */
  readonly ends_at: string;
  /** Null while it waits. */
  readonly decided_at: string | null;
  /** Null while it waits. */
  readonly decided_by: string | null;
  /** The message that was sent. Null unless approved. */
  readonly message_id: string | null;
  /** Null once it is decided: its content is deleted. */
  readonly summary: ApprovalSummary | null;
  /** The message as it would be sent now. Null with a problem, or once decided. */
  readonly content: ApprovalContent | null;
  /** Why it could not be sent now. Null: nothing is known to be in its way. */
  readonly problem: string | null;
}

export interface ApprovalList {
  /** Requests that wait, oldest first; at most 100 of an account. */
  readonly data: readonly Approval[];
}

export interface ApprovalRecipient {
  /** Its address, and its name if given. */
  readonly address: string;
  readonly field: ApprovalRecipientField;
}

/** Field of the request that names it. */
export type ApprovalRecipientField = "to" | "cc" | "bcc";

/** State of the request. */
export type ApprovalState = "waiting" | "approved" | "refused";

export interface ApprovalSummary {
  /** The sender. */
  readonly from: string;
  /** Every recipient, Cc and Bcc included. */
  readonly to: readonly string[];
  /** Its subject. */
  readonly subject: string;
  /** Whether it is sealed as evidence. */
  readonly certified: boolean;
}

/** The API key that asks. */
export interface AskingKey {
  /** UUIDv7. */
  readonly id: string;
  /** Name of the key. */
  readonly name: string;
}

export interface Attachment {
  /** File name shown to the recipient, without a path; at most 255 bytes of UTF-8. */
  readonly filename: string;
  /** Media type; application/octet-stream when omitted. An invitation, `text/calendar; method=REQUEST` in… */
  readonly content_type?: string | null;
  /** The bytes in base64 (RFC 4648 §4). */
  readonly content: string;
  /** Makes the attachment an inline part that html refers to as cid:<content_id>. */
  readonly content_id?: string | null;
}

export interface Attempt {
  /** Number of the attempt, counted from 1. */
  readonly attempt: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly finished_at: string;
  /** How the attempt ended. */
  readonly outcome: "sent" | "deferred" | "bounced" | "cancelled";
  /** How it bounced; null unless this attempt ended so. */
  readonly bounce_type: BounceType | null;
  /** How and why it bounced; null: it did not. */
  readonly bounce?: Bounce | null;
  /** Why it was deferred; null: it was not. */
  readonly deferral?: Deferral | null;
  /** Reply that decided the outcome. */
  readonly reply: DecidingReply | null;
  /** One entry per host that was tried, in order. */
  readonly sessions: readonly Session[];
}

export interface AttemptPage {
  /** The entries, in order. */
  readonly data: readonly Attempt[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
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

/** not_checked: nothing was looked up. */
export type AuthenticationResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror" | "not_checked";

export interface Batch {
  /** The messages, each with its own idempotency key. */
  readonly messages: readonly BatchItem[];
}

export interface BatchItem {
  /** Printable ASCII; the same when you retry. */
  readonly idempotency_key: string;
  /** An address of a verified domain, or Name <address>. */
  readonly from: string;
  readonly to: Recipients;
  /** Shown in Cc: an address or a list. */
  readonly cc?: CopyRecipients | null;
  /** Blind copies: an address or a list, which no message and no evidence shows. */
  readonly bcc?: CopyRecipients | null;
  /** true: leave out suppressed recipients and report them in skipped, as long as one is left. Otherwise … */
  readonly skip_suppressed?: boolean | null;
  /** At most 998 bytes of UTF-8. */
  readonly subject?: string | null;
  /** Plain body. At least one of text, html, template and template_id is required. */
  readonly text?: string | null;
  /** HTML body. */
  readonly html?: string | null;
  /** Overrides the account's default_certified for this message. */
  readonly certified?: boolean | null;
  /** A template of this account. It gives whichever of subject, text and html the request leaves out. */
  readonly template_id?: string | null;
  /** The name of a template of this account, in place of template_id. */
  readonly template?: string | null;
  /** Language tag that chooses a variant of the template: es-MX, else es, else the template's own content… */
  readonly locale?: string | null;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null;
  /** Where replies go: an address or a list. */
  readonly reply_to?: ReplyTo | null;
  /** When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It i… */
  readonly send_at?: string | null;
  /** Asks the recipient to acknowledge receipt. */
  readonly acknowledgement?: AcknowledgementRequest | null;
  /** Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days aft… */
  readonly acknowledge_by?: string | null;
  /** Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID, Importa… */
  readonly headers?: { readonly [name: string]: string } | null;
  /** Files and inline images. */
  readonly attachments?: readonly Attachment[] | null;
  /** Labels to filter messages by; never part of the mail. */
  readonly tags?: readonly string[] | null;
  /** Up to 20 key-value pairs of your own; never part of the mail. */
  readonly metadata?: { readonly [name: string]: string } | null;
}

export interface BatchItemResult {
  /** Index of the item in the request. */
  readonly index: number;
  /** The outcome of this item. */
  readonly status: "created" | "replayed" | "failed";
  /** The message, if it was created or replayed. */
  readonly message?: Message;
  /** Present only for failed items. */
  readonly error?: ErrorDetail;
}

export interface BatchResult {
  /** Number of items that made new messages. */
  readonly created: number;
  /** Number of items that were refused. */
  readonly failed: number;
  /** Number of items that had been accepted before. */
  readonly replayed: number;
  /** One result per item, in order; message unless the item failed. */
  readonly results: readonly BatchItemResult[];
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

export interface CallingKey {
  /** UUIDv7. */
  readonly id: string;
  /** Scopes of the key. */
  readonly scopes: readonly Scope[];
  /** URL of the MCP server that the key was granted for. Absent for other keys. */
  readonly resource?: string;
  /** Each send waits until a person approves it in the portal. Absent for other keys. */
  readonly needs_approval?: boolean;
}

/** What it shows of each. */
export interface CaseDisclosure {
  /** The whole messages. The requests stay closed. */
  readonly message: boolean;
  /** Their outcomes, with the SMTP transcripts. */
  readonly delivery: boolean;
}

export interface CaseName {
  /** UUIDv7. */
  readonly id: string;
  /** On its cover. */
  readonly name: string;
}

export interface CaseShare {
  /** UUIDv7. */
  readonly id: string;
  /** On its cover. */
  readonly name: string;
  /** How many it has. */
  readonly messages: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
  /** The link, shown only in this answer. Its fragment is the secret. */
  readonly url: string;
}

/** A verified time-stamp (RFC 3161). */
export interface Certificate {
  /** UUIDv7. */
  readonly id: string;
  /** Bytes that it stamps: the checkpoint of a batch, one canonical hash, or all that a constancia and it… */
  readonly kind: "batch" | "message" | "renewal";
  /** `development`: sealed by the built-in authority; not a NOM-151 constancia. */
  readonly profile: "nom151" | "rfc3161" | "development";
  /** Issuer of the authority's certificate, RFC 4514. */
  readonly issuer: string;
  /** Policy of the token. */
  readonly policy_oid: string;
  /** The token's serial number, lower-case hex. */
  readonly serial_number: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly gen_time: string;
  /** Of the imprint. */
  readonly hash_algorithm: string;
  /** Hash that was stamped, lower-case hex. */
  readonly imprint: string;
}

export interface ConstanciaUsage {
  /** Constancias over single messages requested this month. */
  readonly on_demand: number;
  /** The account's share of what the time-stamping authorities charged this month: its leaves of each bat… */
  readonly cost_cents: number;
}

/** Shown in Cc: an address or a list. */
export type CopyRecipients = string | readonly string[];

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

export interface DeliveryOutcome {
  /** cancelled: called back before any server took it; nothing failed. acknowledged, refused: the recipie… */
  readonly kind: "sent" | "bounced" | "cancelled" | "complained" | "acknowledged" | "refused" | "displayed" | "unanswered";
  /** session: a server answered it in our own SMTP session; operator: nobody answered, we ended it; repor… */
  readonly source: "session" | "operator" | "reported_by_mail" | "recipient_page";
  /** RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
  /** Place of the outcome in the log. */
  readonly leaf_index: number | null;
  /** SHA-256, lower-case hex. */
  readonly canonical_hash: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string | null;
}

export interface Disclosure {
  /** The whole message, with both addresses and its subject. The request stays closed. */
  readonly message: boolean;
  /** Single parts, by their index; redundant with the whole message. */
  readonly parts: readonly number[];
  /** The outcomes of the message, with the SMTP transcript; it names the receiver. */
  readonly delivery: boolean;
}

export interface DmarcAdvice {
  /** The strictest policy that hardly any of the reported mail would suffer from: reject where at most 0.… */
  readonly safe_policy: DmarcPolicy | null;
  readonly reason: DmarcAdviceReason;
}

/** too_little_mail: fewer than two such reporters; unaligned_mail: look at the sources whose aligned is… */
export type DmarcAdviceReason = "too_little_mail" | "unaligned_mail" | "aligned";

export type DmarcPolicy = "none" | "quarantine" | "reject";

export interface DmarcSource {
  /** The address that sent them. */
  readonly source_ip: string;
  /** True: some of its mail is signed with a key of this domain's here. */
  readonly signed_here: boolean;
  /** Messages from this address. */
  readonly messages: number;
  /** Passed DMARC, by DKIM or by SPF. */
  readonly aligned: number;
  /** Messages whose DKIM signature is of the From domain. */
  readonly dkim_aligned: number;
  /** Messages whose SPF domain is that of From. */
  readonly spf_aligned: number;
  /** Messages that receivers put aside as suspicious. */
  readonly quarantined: number;
  /** Messages that receivers refused. */
  readonly rejected: number;
  /** Domains in From. */
  readonly header_from: readonly string[];
  /** Domains of those who reported it, as DKIM or SPF proved them. */
  readonly reporters: readonly string[];
}

export interface DmarcSummary {
  /** Number of reports. */
  readonly reports: number;
  /** Domains of those who reported it, as DKIM or SPF proved them. */
  readonly reporters: readonly string[];
  /** Messages that the reports cover. */
  readonly messages: number;
  /** Messages that pass DMARC. */
  readonly aligned: number;
  /** The published policy, as most reporters found it. */
  readonly policy: DmarcPolicy | null;
  /** Advice of the reports about a stricter policy. */
  readonly advice: DmarcAdvice;
  /** Sources that send as this domain, the most mail first; 100 at most, of each reporter its largest. */
  readonly sources: readonly DmarcSource[];
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

export interface DomainReports {
  /** The domain that they are about. */
  readonly domain: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly since: string;
  /** DMARC aggregate reports, added up. */
  readonly dmarc: DmarcSummary;
  /** TLS reports, added up. */
  readonly tls: TlsSummary;
}

export interface DomainRequirements {
  /** The sending domain. */
  readonly domain: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly since: string;
  /** One for each rule. */
  readonly requirements: readonly SenderRequirement[];
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

export interface Event {
  /** UUIDv7. */
  readonly id: string;
  readonly type: RecordedEventType;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** Fields that webhooks carry in data besides message_id and event_id. */
  readonly data: { readonly [name: string]: unknown };
}

/** desc: newest first; asc: oldest first, to follow what happens. */
export type EventOrder = "asc" | "desc";

export interface EventPage {
  /** The entries, in order. */
  readonly data: readonly Event[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export type EventType = "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.complained" | "email.sealed" | "acknowledgement.given" | "acknowledgement.refused" | "acknowledgement.expired";

export interface Evidence {
  /** UUIDv7. */
  readonly message_id: string;
  /** SHA-256 of the manifest: the entry in the log. */
  readonly canonical_hash: string;
  /** UUIDv7. */
  readonly batch_id: string;
  /** Root of the log at tree_size. */
  readonly merkle_root: string;
  /** Place in the log, counted from 0. */
  readonly leaf_index: number;
  /** Size of the checkpoint that ends the batch. */
  readonly tree_size: number;
  /** UUIDv7. */
  readonly certificate_id: string;
  /** genTime of the constancia. */
  readonly sealed_at: string;
  readonly certificate: Certificate;
  /** A time-stamp over this message alone, if one was asked for. */
  readonly message_certificate: Certificate | null;
  /** Renewals of `certificate`, oldest first, each made before a certificate of the previous chain ended.… */
  readonly renewals: readonly Certificate[];
  /** When the first certificate in the chain of the newest of these time-stamps ends; it is renewed befor… */
  readonly covered_until: string | null;
  /** The outcomes of the message, each a leaf of its own. */
  readonly delivery: readonly DeliveryOutcome[];
  /** How many outcomes the log signs for: those of `delivery` that are in it. null: its key is gone, and … */
  readonly outcomes?: OutcomesCount | null;
  /** When the message was erased: its content, its addresses and the replies of servers can no longer be … */
  readonly content_deleted_at: string | null;
}

export interface Found {
  /** The findings. */
  readonly kind: FoundKind;
  /** UUIDv7. */
  readonly id: string;
  /** The text to show. */
  readonly label: string;
  /** UUIDv7. */
  readonly webhook_id?: string;
}

export type FoundKind = "message" | "domain" | "sender" | "suppression" | "template" | "webhook" | "delivery";

export interface FoundList {
  /** The entries, in order. */
  readonly data: readonly Found[];
  /** Why no message was found; null: one was. */
  readonly nothing: NothingFound | null;
}

export interface Grant {
  /** Takes the code to the program. */
  readonly redirect_to: string;
}

export interface GrantRequest {
  /** The name that the program gave itself. */
  readonly program: string;
  /** Host of the document that describes the program; null: it registered here. */
  readonly described_at: string | null;
  /** Host that the answer goes to. */
  readonly returns_to: string;
  /** True: a program on the machine of the browser. */
  readonly is_local: boolean;
  /** URL of the MCP server that the grant is for. */
  readonly resource: string;
  /** What the program asks for. Empty with a problem. */
  readonly scopes: readonly GrantScope[];
  /** When a grant that is made now ends. */
  readonly until: string;
  /** Why the request cannot be granted; null: it can. */
  readonly problem: string | null;
  /** Tells the program that nothing was granted. */
  readonly back_url: string;
}

export type GrantScope = "messages:send" | "evidence:read";

export interface HeaderField {
  /** Name of the field, as it was written. */
  readonly name: string;
  /** Unfolded and decoded. */
  readonly value: string;
}

export interface InvitationLink {
  /** Works once; shown only once. */
  readonly url: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
}

export interface InvitationRefusal {
  /** The part after the # of a one-time link. */
  readonly link: string;
}

export interface InvitedMember {
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
  /** To be handed to the person; null when it went by mail, or none is needed. */
  readonly link: InvitationLink | null;
}

export interface LeakReport {
  /** The key, the keys that it made, and those that these made, if they were not revoked. */
  readonly revoked_keys: readonly LeakedKey[];
  /** Webhooks that any of these keys registered. */
  readonly deleted_webhooks: readonly LeakedWebhook[];
  /** Changes made with these keys, newest first, at most 100. */
  readonly changes: readonly AuditEntry[];
  readonly messages: LeakedSends;
}

export interface LeakedKey {
  /** UUIDv7. */
  readonly id: string;
  /** Name given to the key. */
  readonly name: string;
}

/** Messages sent with these keys, since the service notes it. */
export interface LeakedSends {
  /** Among the newest 100000 messages of the account. */
  readonly count: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly first_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly last_at: string | null;
  /** Newest first, at most 100. */
  readonly ids: readonly string[];
}

export interface LeakedWebhook {
  /** UUIDv7. */
  readonly id: string;
  /** Where its events went. */
  readonly url: string;
}

export type Locale = "es" | "en";

export interface MailAttachment {
  /** File name, if it has one. */
  readonly filename: string | null;
  /** Media type. */
  readonly content_type: string;
  /** Size, decoded. */
  readonly size_bytes: number;
}

export interface MailDetail {
  /** UUIDv7. */
  readonly id: string;
  /** Envelope sender (RFC 5321 reverse-path). */
  readonly mail_from: string;
  /** Envelope recipient (RFC 5321 forward-path), lower case, its domain as people write it. */
  readonly rcpt_to: string;
  /** The message's id here, read from its Service-Evidence header. */
  readonly message_id: string | null;
  /** The From address. */
  readonly from: string | null;
  /** The recipient of the envelope. */
  readonly to: string | null;
  /** The subject. */
  readonly subject: string | null;
  /** Size of the message. */
  readonly size_bytes: number;
  /** The EHLO name of the client. */
  readonly client_name: string;
  /** TLS of the connection; null: plain text. */
  readonly tls: MailTls | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly received_at: string;
  /** The header fields, in order. */
  readonly headers: readonly MailHeader[];
  /** The text part, if there is one. */
  readonly text: string | null;
  /** The HTML part, if there is one. */
  readonly html: string | null;
  /** In the order of their indexes, from 0. */
  readonly attachments: readonly MailAttachment[];
}

export interface MailHeader {
  /** Name of the field. */
  readonly name: string;
  /** Its value, unfolded. */
  readonly value: string;
}

export interface MailPreview {
  /** Path of the page, for `<iframe sandbox="">`; it is there for a minute. */
  readonly url: string;
}

export interface MailReport {
  /** Effect of the report on the message. none: it is recorded but changed nothing. */
  readonly effect: "bounced" | "complained" | "none";
  /** other: the report is about another recipient or another message. receipt: a statement of the recipie… */
  readonly says: "failed" | "complained" | "delivered" | "other" | "receipt" | "acknowledged";
  /** RFC 3339, UTC, milliseconds. */
  readonly received_at: string;
  readonly reported_by_mail: ReportedByMail;
}

export interface MailReportList {
  /** The entries, in order. */
  readonly data: readonly MailReport[];
}

export interface MailSummary {
  /** UUIDv7. */
  readonly id: string;
  /** Envelope sender (RFC 5321 reverse-path). */
  readonly mail_from: string;
  /** Envelope recipient (RFC 5321 forward-path), lower case, its domain as people write it. */
  readonly rcpt_to: string;
  /** The message's id here, read from its Service-Evidence header. */
  readonly message_id: string | null;
  /** The From address. */
  readonly from: string | null;
  /** The recipient of the envelope. */
  readonly to: string | null;
  /** The subject. */
  readonly subject: string | null;
  /** Size of the message. */
  readonly size_bytes: number;
  /** The EHLO name of the client. */
  readonly client_name: string;
  /** TLS of the connection; null: plain text. */
  readonly tls: MailTls | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly received_at: string;
}

export interface MailSummaryPage {
  /** The entries, in order. */
  readonly data: readonly MailSummary[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface MailTls {
  /** Version of TLS. */
  readonly version: string;
  /** Cipher suite. */
  readonly cipher: string;
}

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

export interface MemberChange {
  readonly role: MemberRole;
}

export interface MemberPage {
  /** The entries, in order. */
  readonly data: readonly Member[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

/** Roles of a person in an account. */
export type MemberRole = "viewer" | "developer" | "owner";

export type MemberState = "invited" | "active";

export interface Message {
  /** UUIDv7. */
  readonly id: string;
  /** Idempotency-Key of the send. */
  readonly idempotency_key: string;
  /** As submitted: an address, or Name <address>. */
  readonly from: string;
  /** As submitted: an address, or Name <address>. */
  readonly to: string;
  /** Subject as sent; rendered if it came from a template. */
  readonly subject: string;
  /** True: the message is in the Merkle log or will be; false: never. */
  readonly certified: boolean;
  /** Where the message is on its way. */
  readonly status: MessageStatus;
  /** UUIDv7. */
  readonly template_id: string | null;
  /** Your own labels. */
  readonly tags: readonly string[];
  /** Your own key-value pairs. */
  readonly metadata: { readonly [name: string]: string };
  /** Size of the composed message in bytes, before the DKIM signatures. */
  readonly size_bytes: number;
  /** When the message was accepted and committed. */
  readonly created_at: string;
  /** When a message that was scheduled is sent, or was to be sent; null: it was sent at once. */
  readonly send_at: string | null;
  /** When the message was queued: created_at, or when it fell due. null while it is scheduled. */
  readonly queued_at: string | null;
  /** When the receiving server accepted the message (2xx to the final dot). */
  readonly sent_at: string | null;
  /** When the message was last deferred. */
  readonly deferred_at: string | null;
  /** When the message was permanently refused. */
  readonly bounced_at: string | null;
  /** When the message was cancelled, before any server took it. */
  readonly cancelled_at: string | null;
  /** When the recipient complained. */
  readonly complained_at: string | null;
  /** genTime of the constancia over its batch. */
  readonly sealed_at: string | null;
  /** Number of delivery attempts made. */
  readonly attempts: number;
  /** When the next attempt is due; send_at while it is scheduled; null when there will be none. */
  readonly next_attempt_at: string | null;
  /** Reply to the last attempt. If reported_by_mail is set: what the report says; mx is then null. */
  readonly last_reply: DecidingReply | null;
  /** How and why it bounced; null: it did not. */
  readonly bounce?: Bounce | null;
  /** Why the last attempt did not succeed; null unless it is deferred. */
  readonly deferral?: Deferral | null;
  readonly reported_by_mail?: ReportedByMail;
  /** When its content was deleted, because its retention period ended or because its erasure was requeste… */
  readonly content_deleted_at: string | null;
  /** Only while an archive alone has the content: the UTC month of that archive. Reading the content then… */
  readonly content_archived_in?: string;
  /** State of the acknowledgement; null: nobody asked for one. */
  readonly acknowledgement?: Acknowledgement | null;
  /** Certified only: a signed note in which the log promises to include the message; in the answer to a s… */
  readonly promise: string | null;
  /** Only in the answer to a send with several recipients: the messages to the others, in the order of to… */
  readonly copies?: readonly MessageCopy[];
  /** Only in the answer to a send with skip_suppressed that left out recipients. */
  readonly skipped?: readonly SkippedRecipient[];
  /** Only in the answer to a send in which something was dropped, guessed or changed, or cannot work yet.… */
  readonly warnings?: readonly SendWarning[];
}

export interface MessageChange {
  /** RFC 3339 with an offset from UTC; null: now. */
  readonly send_at: string | null;
}

export interface MessageCopy {
  /** UUIDv7. */
  readonly id: string;
  /** As submitted: an address, or Name <address>. */
  readonly recipient: string;
  /** The field that names the recipient first. */
  readonly field: "to" | "cc" | "bcc";
}

export interface MessageLink {
  /** Place of the part among all, from 0; containers are not counted. */
  readonly part: number;
  /** The address that a click opens, as a browser understands it. */
  readonly url: string;
  /** The text of the link, shortened. */
  readonly text: string;
}

export interface MessagePage {
  /** The entries, in order. */
  readonly data: readonly Message[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  /** With a filter, on a page that is not full: created_at of the oldest message read. Continue with next… */
  readonly scanned_to: string | null;
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

export interface MessageParts {
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

export type MessageStatus = "scheduled" | "queued" | "sent" | "deferred" | "bounced" | "cancelled" | "complained";

export interface MonthCost {
  /** UTC month. */
  readonly month: string;
  /** Certified messages accepted. */
  readonly certified: number;
  /** Certified messages × price. */
  readonly certified_cents: number;
  /** Plain messages accepted. */
  readonly plain: number;
  /** Plain messages × price. */
  readonly plain_cents: number;
  /** Of both. */
  readonly total_cents: number;
  /** Seals on demand. */
  readonly on_demand: number;
  /** The account's share of what the authorities charged; not part of the total. */
  readonly sealing_cost_cents: number;
}

export interface MonthCostList {
  /** ACUSE_CURRENCY. */
  readonly currency: string;
  /** The entries, in order. */
  readonly data: readonly MonthCost[];
}

export interface NamedOutcomes {
  /** null: erased messages. */
  readonly name: string | null;
  /** Accepted. */
  readonly ingested: number;
  /** Of these, how many the recipient’s server took. */
  readonly sent: number;
  /** Of these, how many were deferred at least once. */
  readonly deferred: number;
  /** Of these, how many bounced. */
  readonly bounced: number;
  /** Of these, how many the recipient called spam. */
  readonly complained: number;
}

/** The same outcomes of each domain or tag. */
export interface NamedOutcomesList {
  /** Most messages first, at most 50. */
  readonly data: readonly NamedOutcomes[];
  /** How many more there are. */
  readonly others: number;
}

export interface NewApiKey {
  /** Name to recognize the key by. */
  readonly name: string;
  /** Scopes of the key. */
  readonly scopes: readonly Scope[];
  /** Addresses, and *@domain, that the key may have in From. All, when omitted. */
  readonly senders?: readonly string[] | null;
  /** IP addresses and networks that the key may be used from. All, when omitted. */
  readonly networks?: readonly string[] | null;
  /** When the key stops working (RFC 3339). */
  readonly expires_at?: string | null;
  /** Kinds that the key may read but not change, although messages:send would let it. domains includes th… */
  readonly read_only?: readonly ReadOnlyPart[] | null;
  /** Each send waits until a person approves it in the portal. Until then it is refused as approval_requi… */
  readonly needs_approval?: boolean | null;
}

export interface NewApproval {
  /** Identifies what was shown: an approval must send it back. */
  readonly shown: string;
}

export interface NewCaseFile {
  /** Its name, on the cover; whoever opens the file reads it. */
  readonly name: string;
  /** Sealed messages of the account, in any order: they are put in order of time. */
  readonly message_ids: readonly string[];
}

export interface NewCaseShare {
  /** Its name, on the cover; whoever opens the file reads it. */
  readonly name: string;
  /** Sealed messages of the account, in any order: they are put in order of time. */
  readonly message_ids: readonly string[];
  /** RFC 3339; at most 366 days ahead. */
  readonly expires_at: string;
  readonly disclose: CaseDisclosure;
  /** A note on who it is for; the access log shows it, the link does not. */
  readonly note?: string | null;
}

export interface NewDomain {
  /** Unicode names are mapped to A-labels (UTS-46). */
  readonly name: string;
}

export interface NewGrant {
  /** What the person approves, of what the program asks for. */
  readonly scopes: readonly GrantScope[];
  /** Each send of the program waits until a person approves it in the portal. */
  readonly needs_approval?: boolean | null;
  readonly request: NewGrantRequest;
}

/** What the program asked for, field by field. */
export interface NewGrantRequest {
  /** As the program was given it when it registered, or the https address of a document that describes it… */
  readonly client_id?: string | null;
  /** Where the answer goes: an address that it registered. */
  readonly redirect_uri?: string | null;
  /** code. */
  readonly response_type?: string | null;
  /** Scopes, with spaces between; all that there are, when omitted. */
  readonly scope?: string | null;
  /** Goes back to the program as it is. */
  readonly state?: string | null;
  /** URL of the MCP server that the program wants to use. */
  readonly resource?: string | null;
  /** SHA-256 of the verifier that the program keeps, as base64url. */
  readonly code_challenge?: string | null;
  /** S256. */
  readonly code_challenge_method?: string | null;
}

export interface NewMember {
  /** Address that the invitation goes to. */
  readonly email: string;
  readonly role: MemberRole;
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
  /** The part after the # of a one-time link. */
  readonly link?: string | null;
}

export interface NewSender {
  /** An address of a registered domain, or *@domain for all of them. */
  readonly address: string;
}

export interface NewShare {
  /** RFC 3339; at most 366 days ahead. */
  readonly expires_at: string;
  /** The parts that the link shows. */
  readonly disclose: Disclosure;
  /** A note on who it is for; the access log shows it, the link does not. */
  readonly note?: string | null;
}

export interface NewSuppression {
  /** The address that gets no more mail. */
  readonly address: string;
  /** Why, in your words. */
  readonly reason?: string | null;
}

/** At least one of text and html is required. */
export interface NewTemplate {
  /** Name of the template, unique in the account. */
  readonly name: string;
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null;
  /** By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template its… */
  readonly variants?: { readonly [name: string]: NewTemplateVariant } | null;
}

export interface NewTemplateVariant {
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null;
}

export interface NewWebhook {
  /** https, resolving to public addresses only; no credentials, no fragment. Checked now and at each conn… */
  readonly url: string;
  /** Event types that the endpoint receives. */
  readonly events: readonly Subscription[];
  /** A label of your own. */
  readonly description?: string | null;
}

export interface NothingFound {
  /** The address that was given, as it is compared; null: none was. */
  readonly address: string | null;
  /** Its domain, or the domain that was given. */
  readonly domain: string | null;
  /** Messages to the domain, counted up to 100. */
  readonly domain_messages: number;
  /** When the address was suppressed; null: it is not. */
  readonly suppressed_since: string | null;
  /** Origin of the suppression; null: it is not suppressed. */
  readonly suppressed_by: "manual" | "bounce" | "complaint" | null;
  /** Older messages were not looked at; null: all were. */
  readonly searched_to: string | null;
}

export interface Onboarding {
  /** Every step, in order. */
  readonly steps: readonly OnboardingStep[];
}

export interface OnboardingStep {
  readonly step: OnboardingStepName;
  /** True: it is done. */
  readonly done: boolean;
}

/** sent: a message was accepted. sealed: one has a constancia. verified: one was verified online. domai… */
export type OnboardingStepName = "sent" | "sealed" | "verified" | "domain" | "invited" | "webhook";

export interface OutcomesCount {
  /** Outcomes that the log counts of the message. */
  readonly count: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly as_of: string;
  /** Signed note (C2SP tlog-cosignature): of how many outcomes the log knew at that time. The proof bundl… */
  readonly note: string;
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

export interface PasswordReset {
  /** Address of the person; the answer is the same for an unknown one. */
  readonly email: string;
}

/** Of the whole period. */
export interface PeriodCounters {
  /** Accepted. */
  readonly ingested: number;
  /** Of these, how many the recipient’s server took. */
  readonly sent: number;
  /** Of these, how many were deferred at least once. */
  readonly deferred: number;
  /** Of these, how many bounced. */
  readonly bounced: number;
  /** Of these, how many the recipient called spam. */
  readonly complained: number;
}

export interface PeriodRates {
  /** RFC 3339, UTC, milliseconds. */
  readonly from: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly to: string;
  readonly step: RatesStep;
  /** There are more than 50000 messages: those accepted before this moment are not counted. null: all are… */
  readonly counted_from: string | null;
  readonly counters: PeriodCounters;
  /** Every hour or day (UTC) that the period touches. */
  readonly series: readonly PeriodStep[];
  readonly destinations: NamedOutcomesList;
  readonly sending_domains: NamedOutcomesList;
  readonly tags: NamedOutcomesList;
}

export interface PeriodStep {
  /** RFC 3339, UTC, milliseconds. */
  readonly from: string;
  /** Accepted. */
  readonly ingested: number;
  /** Of these, how many the recipient’s server took. */
  readonly sent: number;
  /** Of these, how many were deferred at least once. */
  readonly deferred: number;
  /** Of these, how many bounced. */
  readonly bounced: number;
  /** Of these, how many the recipient called spam. */
  readonly complained: number;
}

export interface PortalSession {
  /** The person. */
  readonly user: User;
  /** The accounts that the person belongs to. */
  readonly accounts: readonly SessionAccount[];
  /** When this person last showed who they are. */
  readonly authenticated_at: string;
  /** When the session ends if no request comes before. */
  readonly expires_at: string;
}

/** 1: images at https addresses are loaded, and their hosts see the reader. */
export type PreviewImages = "0" | "1";

/** Part of the message to show; without it HTML, or text where there is none. */
export type PreviewPart = "html" | "text";

export interface ProofBundle {
  /** The format of this document. */
  readonly type: "acuse/bundle/v1";
  /** The files of the bundle. */
  readonly entries: readonly ProofBundleEntry[];
}

export interface ProofBundleEntry {
  /** Path of the file in the bundle. */
  readonly name: string;
  /** The content, where it is text. */
  readonly text?: string;
  /** The content otherwise. */
  readonly base64?: string;
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

/** What one entry of the series covers: hours in a period of up to seven days, else days. */
export type RatesStep = "hour" | "day";

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

/** An address, or Name <address>; or a list. to, cc and bcc take 50 addresses in all; each recipient ge… */
export type Recipients = string | readonly string[];

/** Webhooks carry all of these but email.cancelled, which is only listed: its data has cancelled_by, se… */
export type RecordedEventType = "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.complained" | "email.sealed" | "acknowledgement.given" | "acknowledgement.refused" | "acknowledgement.expired" | "email.cancelled";

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

export interface RenderRequest {
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null;
  /** Language tag: chooses a variant of the template. */
  readonly locale?: string | null;
}

export interface RenderedDraft {
  /** The subject. */
  readonly subject: string;
  /** The text part. */
  readonly text: string | null;
  /** The HTML part. */
  readonly html: string | null;
}

export interface RenderedTemplate {
  /** UUIDv7. */
  readonly template_id: string;
  /** The version that was rendered. */
  readonly version: number;
  /** The variant that was rendered; null: the template's own content. */
  readonly locale: string | null;
  /** The subject. */
  readonly subject: string;
  /** The text part. */
  readonly text: string | null;
  /** The HTML part. */
  readonly html: string | null;
}

export interface Reply {
  /** SMTP reply code (RFC 5321). */
  readonly code: number;
  /** Enhanced status code (RFC 3463), where there was one. */
  readonly enhanced: string | null;
  /** Text of the server's reply. */
  readonly text: string;
}

/** Reply-To: an address or a list of up to 10. */
export type ReplyTo = string | readonly string[];

/** Claims of the report. Only its author vouches for them. */
export interface ReportClaims {
  /** Final-Recipient of the report. */
  readonly final_recipient: string | null;
  /** Original-Recipient of the report. */
  readonly original_recipient: string | null;
  /** Remote-MTA: the server that refused. */
  readonly remote_mta: string | null;
  /** The reply that the report quotes. */
  readonly reply: ReportedReply | null;
  /** Type of the complaint. */
  readonly feedback_type: string | null;
}

export interface ReportDkim {
  readonly result: AuthenticationResult;
  /** Domains whose signature on the report is valid. */
  readonly domains: readonly string[];
}

/** Host that delivered the report to this service. */
export interface ReportPeer {
  /** Address that the report came from. */
  readonly ip: string;
  /** Name that the host gave in EHLO or HELO. */
  readonly helo: string;
  /** TLS of the connection; null: plain text. */
  readonly tls: TlsParameters | null;
}

export interface ReportSpf {
  readonly result: AuthenticationResult;
  /** Domain whose policy was looked up. */
  readonly domain: string | null;
}

/** Present only if a report that came by mail ended the message: an asynchronous bounce or a complaint. */
export interface ReportedByMail {
  readonly peer: ReportPeer;
  /** Envelope sender of the report; empty for <>. */
  readonly mail_from: string;
  /** DKIM of the report itself. */
  readonly dkim: ReportDkim;
  /** SPF of the report itself. */
  readonly spf: ReportSpf;
  /** Link of the report to the server that accepted the message or to the domain of its recipient. null: … */
  readonly vouched_by: "network" | "dkim" | "spf" | "helo" | null;
  readonly claims: ReportClaims;
  /** SHA-256 of the mail as received, lower-case hex; in the stored copy a token is hidden. */
  readonly sha256: string;
}

export interface ReportedReply {
  /** SMTP reply code (RFC 5321). */
  readonly code: number | null;
  /** Enhanced status code (RFC 3463), where there was one. */
  readonly enhanced: string | null;
  /** Text of the server's reply. */
  readonly text: string | null;
}

/** at_risk: above what is advised and below what is refused, or only some of the mail; not_needed: the … */
export type RequirementVerdict = "met" | "at_risk" | "unmet" | "not_needed" | "unknown";

export type Scope = "messages:send" | "evidence:read" | "suppressions:write" | "api_keys:write";

export type SecondFactor = "passkey" | "totp" | "recovery_code";

/** One of them. */
export interface SecondFactorProof {
  /** Six digits of the authenticator app. */
  readonly code?: string | null;
  /** A recovery code, good once. */
  readonly recovery_code?: string | null;
  /** The browser’s answer to the passkey’s challenge. */
  readonly passkey?: PasskeyProof | null;
}

export interface Send {
  /** An address of a verified domain, or Name <address>. */
  readonly from: string;
  readonly to: Recipients;
  /** Shown in Cc: an address or a list. */
  readonly cc?: CopyRecipients | null;
  /** Blind copies: an address or a list, which no message and no evidence shows. */
  readonly bcc?: CopyRecipients | null;
  /** true: leave out suppressed recipients and report them in skipped, as long as one is left. Otherwise … */
  readonly skip_suppressed?: boolean | null;
  /** At most 998 bytes of UTF-8. */
  readonly subject?: string | null;
  /** Plain body. At least one of text, html, template and template_id is required. */
  readonly text?: string | null;
  /** HTML body. */
  readonly html?: string | null;
  /** Overrides the account's default_certified for this message. */
  readonly certified?: boolean | null;
  /** A template of this account. It gives whichever of subject, text and html the request leaves out. */
  readonly template_id?: string | null;
  /** The name of a template of this account, in place of template_id. */
  readonly template?: string | null;
  /** Language tag that chooses a variant of the template: es-MX, else es, else the template's own content… */
  readonly locale?: string | null;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null;
  /** Where replies go: an address or a list. */
  readonly reply_to?: ReplyTo | null;
  /** When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It i… */
  readonly send_at?: string | null;
  /** Asks the recipient to acknowledge receipt. */
  readonly acknowledgement?: AcknowledgementRequest | null;
  /** Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days aft… */
  readonly acknowledge_by?: string | null;
  /** Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID, Importa… */
  readonly headers?: { readonly [name: string]: string } | null;
  /** Files and inline images. */
  readonly attachments?: readonly Attachment[] | null;
  /** Labels to filter messages by; never part of the mail. */
  readonly tags?: readonly string[] | null;
  /** Up to 20 key-value pairs of your own; never part of the mail. */
  readonly metadata?: { readonly [name: string]: string } | null;
}

export interface SendWarning {
  /** header_dropped: a header was not sent; charset_guessed: text did not say its charset and was taken a… */
  readonly code: "header_dropped" | "charset_guessed" | "name_changed" | "codes_not_sent";
  /** The header, body, filename or acknowledgement. */
  readonly field: string;
  /** The change, and how to avoid it. */
  readonly message: string;
}

export interface Sender {
  /** UUIDv7. */
  readonly id: string;
  /** Normalized for comparison: lower case, domain in A-labels. */
  readonly address: string;
  /** UUIDv7. */
  readonly domain_id: string;
  /** False: the address is refused, even if *@domain is active. */
  readonly active: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
}

export interface SenderChange {
  /** false: the address may no longer send. */
  readonly active: boolean;
}

export interface SenderPage {
  /** The entries, in order. */
  readonly data: readonly Sender[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface SenderRequirement {
  /** The rule that large receivers set. */
  readonly rule: SenderRule;
  readonly verdict: RequirementVerdict;
  /** How many of `total` were counted: aligned messages, messages that can be unsubscribed, complaints, a… */
  readonly part: number | null;
  /** Number of messages looked at; of one_click_unsubscribe the messages marked as sent to many (List-Uns… */
  readonly total: number | null;
  /** Records, names or addresses that were looked at. */
  readonly found: readonly string[];
}

export type SenderRule = "dkim" | "spf" | "dmarc" | "alignment" | "one_click_unsubscribe" | "complaint_rate" | "reverse_dns" | "tls";

export interface Session {
  /** Host name of the mail server. */
  readonly mx: string;
  /** IP address of the mail server. */
  readonly address: string;
  /** Port of the server. */
  readonly port: number;
  /** IP address of this service on that connection. */
  readonly local_address: string | null;
  /** Number of messages that the same connection had carried before. */
  readonly earlier_messages: number;
  /** Policy that decided the use of TLS; under mta-sts and dane nothing is sent in plain text. */
  readonly tls_policy: "opportunistic" | "mta-sts" | "dane" | "configuration";
  /** TLS of the connection; null: plain text. */
  readonly tls: SessionTls | null;
  /** The server’s last reply. */
  readonly reply: Reply | null;
  /** The SMTP step to which the reply or the error belongs. */
  readonly stage: string;
  /** Failure outside the conversation, such as a time-out. */
  readonly error: SessionError | null;
  /** The lines of both sides, in order. */
  readonly transcript: readonly TranscriptLine[];
}

export interface SessionAccount {
  /** UUIDv7. */
  readonly id: string;
  /** Name of the account. */
  readonly name: string;
  /** Only an active account may send. */
  readonly status: AccountStatus;
  /** True: its mail stays in the test mailbox. */
  readonly sandbox: boolean;
  readonly role: MemberRole;
  /** The person's rights in it. */
  readonly scopes: readonly Scope[];
  /** The account demands a second factor that this person has not set up: nothing opens until then. */
  readonly second_factor_missing: boolean;
}

export interface SessionError {
  /** The operating system’s or TLS’s code. */
  readonly code: string;
  /** The same in words. */
  readonly message: string;
}

export interface SessionTls {
  /** Version of TLS. */
  readonly version: string;
  /** Cipher suite. */
  readonly cipher: string;
  /** SHA-256 of the peer certificate (DER), lower-case hex. */
  readonly certificate_sha256: string | null;
  /** True if WebPKI accepts the certificate for the host name. */
  readonly authorized: boolean;
  /** Why WebPKI does not accept the certificate. */
  readonly error: string | null;
}

export interface Share {
  /** UUIDv7. */
  readonly id: string;
  /** UUIDv7. */
  readonly message_id: string;
  /** The parts that the link shows. */
  readonly disclose: Disclosure;
  /** A note for the people of the account. */
  readonly note: string | null;
  readonly created_by: ShareCreator;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly revoked_at: string | null;
  /** How often it was opened. */
  readonly opened: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly last_opened_at: string | null;
  /** Set: the link is that of a case file, which shows other messages too; revoking it revokes all of it. */
  readonly case: CaseName | null;
}

/** The person who made it. */
export interface ShareCreator {
  /** UUIDv7. */
  readonly id: string;
  /** Creator of the link. */
  readonly name: string;
}

export interface SharePage {
  /** The entries, in order. */
  readonly data: readonly Share[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface ShareWithUrl {
  /** UUIDv7. */
  readonly id: string;
  /** UUIDv7. */
  readonly message_id: string;
  /** The parts that the link shows. */
  readonly disclose: Disclosure;
  /** A note for the people of the account. */
  readonly note: string | null;
  readonly created_by: ShareCreator;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly expires_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly revoked_at: string | null;
  /** How often it was opened. */
  readonly opened: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly last_opened_at: string | null;
  /** Set: the link is that of a case file, which shows other messages too; revoking it revokes all of it. */
  readonly case: CaseName | null;
  /** The link, shown only in this answer. Its fragment is the secret. */
  readonly url: string;
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
  readonly state: SignInStep;
  /** Accepted second factors; empty when none is needed. */
  readonly methods: readonly SecondFactor[];
}

export type SignInStep = "signed_in" | "second_factor";

export interface SkippedRecipient {
  /** As submitted: an address, or Name <address>. */
  readonly recipient: string;
  /** The field that names the recipient first. */
  readonly field: "to" | "cc" | "bcc";
  /** The error code that the recipient alone would have been refused with. */
  readonly reason: "recipient_suppressed";
}

/** An event type, or * for all whose name begins with email: those of acknowledgement are named. */
export type Subscription = "email.queued" | "email.sent" | "email.deferred" | "email.bounced" | "email.complained" | "email.sealed" | "acknowledgement.given" | "acknowledgement.refused" | "acknowledgement.expired" | "*";

export interface Suppression {
  /** UUIDv7. */
  readonly id: string;
  /** Normalized for comparison: lower case, domain in A-labels. */
  readonly address: string;
  /** Why, in the words of whoever added it. */
  readonly reason: string;
  /** Origin of the entry. */
  readonly source: "manual" | "bounce" | "complaint";
  /** The message whose bounce or complaint put it here. */
  readonly message_id: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
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

export interface SuppressionPage {
  /** The entries, in order. */
  readonly data: readonly Suppression[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface Tail {
  /** The entries, in order. */
  readonly data: readonly TailEvent[];
  /** The moment of this reading. To follow, ask with a since 30 seconds before it. */
  readonly read_at: string;
  /** There were more events than are read at once: older ones were not looked at. null: all since then we… */
  readonly looked_from: string | null;
}

export interface TailEvent {
  /** UUIDv7. */
  readonly id: string;
  readonly type: RecordedEventType;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** UUIDv7. */
  readonly message_id: string;
  /** Sender of the message. */
  readonly from: string;
  /** Recipient; empty once it was erased. */
  readonly to: string;
  /** Subject; empty once it was erased. */
  readonly subject: string;
  /** The receiving server's answer; null: the event has none. */
  readonly reply: string | null;
}

export interface Template {
  /** UUIDv7. */
  readonly id: string;
  /** Name of the template, unique in the account. */
  readonly name: string;
  /** Grows by one with each change of content; a message keeps the version it used. */
  readonly version: number;
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html: string | null;
  /** By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template its… */
  readonly variants: { readonly [name: string]: TemplateVariant };
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly updated_at: string;
}

export interface TemplateChange {
  /** Name of the template, unique in the account. */
  readonly name?: string | null;
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject?: string | null;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null;
  /** By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template its… */
  readonly variants?: { readonly [name: string]: NewTemplateVariant | null } | null;
}

/** At least one of text and html is required. */
export interface TemplateDraft {
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null;
}

export interface TemplatePage {
  /** The entries, in order. */
  readonly data: readonly Template[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface TemplatePreview {
  /** The subject. */
  readonly subject: string;
  /** The text part. */
  readonly text: string | null;
  /** The page of the frame: the HTML, rewritten so that it can only be looked at. */
  readonly html: string | null;
}

/** At least one of text and html is required. */
export interface TemplatePreviewRequest {
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null;
  /** true: images at https addresses stay in the page. */
  readonly images?: boolean | null;
}

export interface TemplateVariant {
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html: string | null;
}

export interface TemplateVersion {
  /** Number of the version, from 1. */
  readonly version: number;
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text: string | null;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html: string | null;
  /** By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template its… */
  readonly variants: { readonly [name: string]: TemplateVariant };
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
}

export interface TemplateVersionPage {
  /** The entries, in order. */
  readonly data: readonly TemplateVersion[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface TlsFailure {
  /** The mail host, where the report names it. */
  readonly host: string | null;
  /** As RFC 8460 §4.3 names it. */
  readonly result: string;
  /** Connections that failed so. */
  readonly sessions: number;
  /** Domains of those who reported it, as DKIM or SPF proved them. */
  readonly reporters: readonly string[];
}

export interface TlsParameters {
  /** Version of TLS. */
  readonly version: string;
  /** Cipher suite. */
  readonly cipher: string;
}

export interface TlsSummary {
  /** Number of reports. */
  readonly reports: number;
  /** Connections that the reports cover. */
  readonly sessions: number;
  /** Connections that failed. */
  readonly failed: number;
  /** The most sessions first; 100 at most, of each reporter its largest. */
  readonly failures: readonly TlsFailure[];
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

export interface TranscriptLine {
  /** Milliseconds since the session began. */
  readonly t_ms: number;
  /** C: this service; S: the server. */
  readonly who: "C" | "S";
  /** The line as transmitted; message data, credentials and the token of the return path are cut out. */
  readonly line: string;
}

export interface User {
  /** UUIDv7. */
  readonly id: string;
  /** Address that the person signs in with. */
  readonly email: string;
  /** Name of the person. */
  readonly name: string | null;
  /** Null: as the browser asks. */
  readonly locale: Locale | null;
  /** Zone in which times are shown. */
  readonly time_zone: string;
  /** True: there is a password. */
  readonly has_password: boolean;
  /** Codes of an authenticator app are asked for at sign-in. */
  readonly has_totp: boolean;
  /** A passkey signs in; a password alone does not any more. */
  readonly has_passkeys: boolean;
}

export interface UserChange {
  /** Name of the person. */
  readonly name?: string | null;
  /** Null: as the browser asks. */
  readonly locale?: Locale | null;
  /** A name of the time zone database. */
  readonly time_zone?: string | null;
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

export interface Verification {
  /** True only if every check passes. */
  readonly valid: boolean;
  /** SHA-256, lower-case hex. */
  readonly merkle_root: string;
  /** UUIDv7. */
  readonly certificate_id: string;
  /** The token's genTime. */
  readonly sealed_at: string;
  /** Every step of the verification, in order. */
  readonly checks: readonly VerificationCheck[];
}

export interface VerificationCheck {
  /** Name of the check. */
  readonly name: string;
  /** True: it holds; null: it was not made. */
  readonly ok: boolean;
  /** For people: what was found. */
  readonly detail: string;
}

export interface VerificationRecord {
  /** UUIDv7. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The id as given in the query. */
  readonly message_id: string;
  /** valid, invalid, or the code of the error that was answered; opened: of a share. */
  readonly result: string;
  readonly actor: Actor;
  /** IP address that asked, as this server saw it. */
  readonly client_address: string;
}

export interface VerificationRecordPage {
  /** The entries, in order. */
  readonly data: readonly VerificationRecord[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface VerifyRequest {
  /** Id of the message. */
  readonly message_id: string;
}

export interface Waiting {
  /** Why messages wait. */
  readonly reasons: readonly WaitingReason[];
}

/** Reasons that hold the message; new ones may come. */
export type WaitingCode = "scheduled" | "outcome_unknown" | "held_for_mode" | "account_paused" | "destination_paused" | "being_tried" | "capped" | "next_attempt" | "due" | "destination_closed" | "destination_busy" | "behind_others" | "nothing_known" | "not_tried" | "last_reply" | "expires" | "expired";

export interface WaitingReason {
  readonly code: WaitingCode;
  /** When it ends by itself; null: that is not known. */
  readonly until: string | null;
  /** The reason in a sentence. */
  readonly text: string;
}

export interface Webhook {
  /** UUIDv7. */
  readonly id: string;
  /** https, resolving to public addresses only; no credentials, no fragment. Checked now and at each conn… */
  readonly url: string;
  /** Event types that the endpoint receives. */
  readonly events: readonly Subscription[];
  /** A label of your own. */
  readonly description: string | null;
  /** True: events are delivered. */
  readonly enabled: boolean;
  /** gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it i… */
  readonly disabled_reason: WebhookDisabledReason | null;
  /** First failure since the last success. */
  readonly failing_since: string | null;
  /** When it is disabled if it does nothing but fail until then. null: it is not failing, or is disabled. */
  readonly disables_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly updated_at: string;
}

export interface WebhookAttempt {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  /** How long the endpoint took. */
  readonly duration_ms: number;
  /** Status of the answer. */
  readonly status_code: number | null;
  /** Failure, if there was no answer. */
  readonly error: string | null;
  /** Header fields that were sent, without the signatures: recompute those with the secret over body. */
  readonly request_headers: { readonly [name: string]: string };
  /** Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values th… */
  readonly response_headers: { readonly [name: string]: string } | null;
  /** The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was erased… */
  readonly response_excerpt: string | null;
}

export interface WebhookChange {
  /** https, resolving to public addresses only; no credentials, no fragment. Checked now and at each conn… */
  readonly url?: string | null;
  /** Event types that the endpoint receives. */
  readonly events?: readonly Subscription[] | null;
  /** A label of your own. */
  readonly description?: string | null;
  /** true enables the endpoint again; false disables it, and events waiting for it fail. */
  readonly enabled?: boolean | null;
}

export interface WebhookDelivery {
  /** UUIDv7. */
  readonly id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** UUIDv7. */
  readonly message_id: string;
  /** Type of the event. */
  readonly type: EventType;
  readonly status: WebhookDeliveryStatus;
  /** Attempts made, replays included. */
  readonly attempts: number;
  /** Status of the last answer. */
  readonly last_status_code: number | null;
  /** Failure of the last attempt. */
  readonly last_error: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly delivered_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly next_attempt_at: string | null;
}

export interface WebhookDeliveryDetail {
  /** UUIDv7. */
  readonly id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** UUIDv7. */
  readonly message_id: string;
  /** Type of the event. */
  readonly type: EventType;
  readonly status: WebhookDeliveryStatus;
  /** Attempts made, replays included. */
  readonly attempts: number;
  /** Status of the last answer. */
  readonly last_status_code: number | null;
  /** Failure of the last attempt. */
  readonly last_error: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly delivered_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly next_attempt_at: string | null;
  /** The exact body, the same in every attempt. */
  readonly body: string;
  /** Oldest first. */
  readonly attempt_log: readonly WebhookAttempt[];
}

export interface WebhookDeliveryPage {
  /** The entries, in order. */
  readonly data: readonly WebhookDelivery[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  /** With a filter, on a page that is not full: created_at of the oldest delivery read. Continue with nex… */
  readonly scanned_to: string | null;
}

/** pending: in progress or to be retried; failed: given up, can be replayed. */
export type WebhookDeliveryStatus = "pending" | "delivered" | "failed";

export type WebhookDisabledReason = "gone" | "failing" | "manual";

export interface WebhookPage {
  /** The entries, in order. */
  readonly data: readonly Webhook[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export interface WebhookPing {
  /** The endpoint answered 2xx. */
  readonly delivered: boolean;
  /** null: no answer came. */
  readonly status_code: number | null;
  /** How long the endpoint took. */
  readonly duration_ms: number;
  /** Why it was not delivered. */
  readonly error: string | null;
  /** Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values th… */
  readonly response_headers: { readonly [name: string]: string } | null;
  /** The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was erased… */
  readonly response_excerpt: string | null;
  readonly request: WebhookPingRequest;
}

/** The request body as it was sent, byte for byte. */
export interface WebhookPingRequest {
  /** The header fields that were sent. */
  readonly headers: { readonly [name: string]: string };
  /** The body that was sent. */
  readonly body: string;
}

export interface WebhookReplay {
  /** Number of deliveries queued again. */
  readonly replayed: number;
}

export interface WebhookReplayCount {
  /** Failed deliveries, 10,000 at most. */
  readonly failed: number;
  /** Deliveries that wait for their next attempt, 10,000 at most. Absent: from a server that cannot repla… */
  readonly waiting?: number;
  /** There are more: counting ended at its limit. */
  readonly more: boolean;
}

export interface WebhookReplayRequest {
  /** RFC 3339 time. Deliveries made before it are not affected. */
  readonly since: string;
  /** true: deliveries that wait for their next attempt are tried now, too, with all their retries. */
  readonly waiting?: boolean | null;
}

export interface WebhookWithSecret {
  /** UUIDv7. */
  readonly id: string;
  /** https, resolving to public addresses only; no credentials, no fragment. Checked now and at each conn… */
  readonly url: string;
  /** Event types that the endpoint receives. */
  readonly events: readonly Subscription[];
  /** A label of your own. */
  readonly description: string | null;
  /** True: events are delivered. */
  readonly enabled: boolean;
  /** gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it i… */
  readonly disabled_reason: WebhookDisabledReason | null;
  /** First failure since the last success. */
  readonly failing_since: string | null;
  /** When it is disabled if it does nothing but fail until then. null: it is not failing, or is disabled. */
  readonly disables_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly updated_at: string;
  /** Secret that signs the deliveries. It is shown only once: keep it to verify Service-Signature. */
  readonly secret: string;
}
