// Generated from contract/openapi.json by sdks/generate/typescript.mjs: do not edit.

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
  readonly [name: string]: unknown;
}

export interface AccountEventPage {
  /** The entries, in order. */
  readonly data: readonly AccountEvent[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  /**
   * On a page that is short because matches are rare: created_at of the last event read. Continue with
   * next_cursor. null: the page is full, or it is the last.
   */
  readonly scanned_to: string | null;
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
  readonly require_ready_domains?: boolean | undefined;
  /**
   * Days after which a plain message is deleted with its record; sent again, its Idempotency-Key is
   * refused as accepted_before.
   */
  readonly plain_record_days?: number | undefined;
}

export type AccountStatus = 'active' | 'suspended' | 'deactivated' | (string & {});

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
  /**
   * recipient_page: somebody who reads the recipient's mailbox acted on the page, with a code that was
   * sent there; not who. reported_by_mail: a reply that the recipient's mail domain signed. operator: the
   * time ran out.
   */
  readonly source: 'recipient_page' | 'reported_by_mail' | 'operator' | (string & {}) | null;
  /** When it was decided. */
  readonly at: string | null;
  /** Until when the recipient may acknowledge it. */
  readonly until: string;
}

export interface AcknowledgementExpired {
  /** The type of the event. */
  readonly type: 'acknowledgement.expired' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The entries, in order. */
  readonly data: AcknowledgementExpiredData;
}

export interface AcknowledgementExpiredData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
}

export interface AcknowledgementGiven {
  /** The type of the event. */
  readonly type: 'acknowledgement.given' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The entries, in order. */
  readonly data: AcknowledgementGivenData;
}

export interface AcknowledgementGivenData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
  /** Where the recipient acted: on the page of the link, or by a reply that their mail domain signed. */
  readonly source: 'recipient_page' | 'reported_by_mail' | (string & {});
}

export interface AcknowledgementRefused {
  /** The type of the event. */
  readonly type: 'acknowledgement.refused' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The entries, in order. */
  readonly data: AcknowledgementRefusedData;
}

export interface AcknowledgementRefusedData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
  /** Where the recipient acted: on the page of the link, or by a reply that their mail domain signed. */
  readonly source: 'recipient_page' | 'reported_by_mail' | (string & {});
}

/**
 * Certified only. request: ask the recipient to acknowledge receipt. The mail gets a link and an address,
 * where text and html say {{acknowledgement_url}} and {{acknowledgement_mail}}, else in a last paragraph;
 * what the recipient does there becomes an outcome of the message's evidence.
 */
export type AcknowledgementRequest = 'request' | (string & {});

/**
 * requested: nothing came yet; acknowledged, refused: the recipient's own act; unanswered: it did not
 * come in time.
 */
export type AcknowledgementStatus = 'requested' | 'acknowledged' | 'refused' | 'unanswered' | (string & {});

/** Person, key or visitor that asked. */
export interface Actor {
  /** key: an API key. user: a person, in the portal. share: somebody with a shared link. */
  readonly kind: 'key' | 'user' | 'share' | (string & {});
  /** Id of the key, the person or the share. It may be gone since. */
  readonly id: string;
  /** Its name at that time: of a share, its note. */
  readonly name: string;
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
  readonly last_used_from?: string | null | undefined;
  /** Addresses, and *@domain, that the key may have in From. Null: all. */
  readonly senders?: readonly string[] | null | undefined;
  /** IP addresses and networks that the key may be used from. Null: all. */
  readonly networks?: readonly string[] | null | undefined;
  /** When the key stops working. Null: never. */
  readonly expires_at?: string | null | undefined;
  /**
   * Kinds that the key may read but not change, although messages:send would let it. domains includes
   * their senders.
   */
  readonly read_only?: readonly ReadOnlyPart[] | undefined;
  /**
   * Each send waits until a person approves it in the portal. Until then it is refused as
   * approval_required; repeated after that, it is answered with the message.
   */
  readonly needs_approval?: boolean | undefined;
  /** Creator of the key. Null for keys of earlier versions. */
  readonly created_by?: ApiKeyMaker | null | undefined;
  /** Of a key that a person gave to an agent's program. Null for other keys. */
  readonly grant?: ApiKeyGrant | null | undefined;
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
  readonly senders?: readonly string[] | null | undefined;
  /** IP addresses and networks that the key may be used from. Null: all. */
  readonly networks?: readonly string[] | null | undefined;
  /** When the key stops working. Null: never. */
  readonly expires_at?: string | null | undefined;
  /**
   * Kinds that the key may read but not change, although messages:send would let it. domains includes
   * their senders.
   */
  readonly read_only?: readonly ReadOnlyPart[] | undefined;
  /**
   * Each send waits until a person approves it in the portal. Until then it is refused as
   * approval_required; repeated after that, it is answered with the message.
   */
  readonly needs_approval?: boolean | undefined;
  /** Creator of the key. Null for keys of earlier versions. */
  readonly created_by?: ApiKeyMaker | null | undefined;
}

export interface Attachment {
  /** File name shown to the recipient, without a path; at most 255 bytes of UTF-8. */
  readonly filename: string;
  /**
   * Media type; application/octet-stream when omitted. An invitation, `text/calendar; method=REQUEST` in
   * UTF-8, also goes out beside text and html, so that mail programs show its buttons.
   */
  readonly content_type?: string | null | undefined;
  /** The bytes in base64 (RFC 4648 §4). */
  readonly content: string;
  /** Makes the attachment an inline part that html refers to as cid:<content_id>. */
  readonly content_id?: string | null | undefined;
}

export interface Attempt {
  /** Number of the attempt, counted from 1. */
  readonly attempt: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly finished_at: string;
  /** How the attempt ended. */
  readonly outcome: 'sent' | 'deferred' | 'bounced' | 'cancelled' | (string & {});
  /** How it bounced; null unless this attempt ended so. */
  readonly bounce_type: BounceType | null;
  /** How and why it bounced; null: it did not. */
  readonly bounce?: Bounce | null | undefined;
  /** Why it was deferred; null: it was not. */
  readonly deferral?: Deferral | null | undefined;
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

export type AuditActorKind = 'key' | 'user' | 'operator' | 'system' | (string & {});

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

/** not_checked: nothing was looked up. */
export type AuthenticationResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror' | 'not_checked' | (string & {});

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
  readonly cc?: CopyRecipients | null | undefined;
  /** Blind copies: an address or a list, which no message and no evidence shows. */
  readonly bcc?: CopyRecipients | null | undefined;
  /**
   * true: leave out suppressed recipients and report them in skipped, as long as one is left. Otherwise
   * one suppressed recipient refuses the request.
   */
  readonly skip_suppressed?: boolean | null | undefined;
  /** At most 998 bytes of UTF-8. */
  readonly subject?: string | null | undefined;
  /** Plain body. At least one of text, html, template and template_id is required. */
  readonly text?: string | null | undefined;
  /** HTML body. */
  readonly html?: string | null | undefined;
  /** Overrides the account's default_certified for this message. */
  readonly certified?: boolean | null | undefined;
  /** A template of this account. It gives whichever of subject, text and html the request leaves out. */
  readonly template_id?: string | null | undefined;
  /** The name of a template of this account, in place of template_id. */
  readonly template?: string | null | undefined;
  /**
   * Language tag that chooses a variant of the template: es-MX, else es, else the template's own content.
   * Also the language in which a recipient is asked to acknowledge the message: es or en.
   */
  readonly locale?: string | null | undefined;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null | undefined;
  /** Where replies go: an address or a list. */
  readonly reply_to?: ReplyTo | null | undefined;
  /**
   * When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It is
   * accepted, and promised if certified, now.
   */
  readonly send_at?: string | null | undefined;
  /** Asks the recipient to acknowledge receipt. */
  readonly acknowledgement?: AcknowledgementRequest | null | undefined;
  /**
   * Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days
   * after the message is sent; 15 days when omitted.
   */
  readonly acknowledge_by?: string | null | undefined;
  /**
   * Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID,
   * Importance, Precedence, TLS-Required and others that docs/submitted-messages.md lists.
   */
  readonly headers?: { readonly [name: string]: string } | null | undefined;
  /** Files and inline images. */
  readonly attachments?: readonly Attachment[] | null | undefined;
  /** Labels to filter messages by; never part of the mail. */
  readonly tags?: readonly string[] | null | undefined;
  /** Up to 20 key-value pairs of your own; never part of the mail. */
  readonly metadata?: { readonly [name: string]: string } | null | undefined;
}

export interface BatchItemResult {
  /** Index of the item in the request. */
  readonly index: number;
  /** The outcome of this item. */
  readonly status: 'created' | 'replayed' | 'failed' | (string & {});
  /** The message, if it was created or replayed. */
  readonly message?: Message | undefined;
  /** Present only for failed items. */
  readonly error?: ErrorDetail | undefined;
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
  /**
   * reply: a server said so; report: mail that came later; acuse: no server did, it was given up or not
   * tried.
   */
  readonly source: 'reply' | 'report' | 'acuse' | (string & {});
}

/** The reason, in the words of the bounce rules; docs/guides/deliverability.md says what to do for each. */
export type BounceReason = 'mailbox_unknown' | 'mailbox_disabled' | 'mailbox_moved' | 'address_syntax' | 'domain_unknown' | 'domain_refuses_mail' | 'mailbox_refused' | 'mailbox_full' | 'mailbox_busy' | 'message_too_large' | 'content_unreadable' | 'greylisted' | 'rate_limited' | 'host_unreachable' | 'dns_failure' | 'routing_loop' | 'tls_failure' | 'system_error' | 'system_full' | 'mailer_error' | 'protocol_error' | 'unspecified' | 'spam' | 'virus' | 'blocklisted' | 'reputation' | 'authentication' | 'reverse_dns' | 'relay_denied' | 'sender_refused' | 'not_compliant' | 'content_policy' | 'tls_required' | 'policy' | 'expired' | 'suppressed' | (string & {});

export interface BounceReasonShare {
  /** null: before reasons were kept. */
  readonly reason: BounceReason | null;
  /** Messages that bounced for this reason. */
  readonly messages: number;
  /** Of these messages. */
  readonly share: number;
}

export type BounceType = 'hard' | 'soft' | 'policy' | 'expired' | 'suppressed' | (string & {});

export interface CallingKey {
  /** UUIDv7. */
  readonly id: string;
  /** Scopes of the key. */
  readonly scopes: readonly Scope[];
  /** URL of the MCP server that the key was granted for. Absent for other keys. */
  readonly resource?: string | undefined;
  /** Each send waits until a person approves it in the portal. Absent for other keys. */
  readonly needs_approval?: boolean | undefined;
}

/** A verified time-stamp (RFC 3161). */
export interface Certificate {
  /** UUIDv7. */
  readonly id: string;
  /**
   * Bytes that it stamps: the checkpoint of a batch, one canonical hash, or all that a constancia and its
   * earlier renewals consist of.
   */
  readonly kind: 'batch' | 'message' | 'renewal' | (string & {});
  /** `development`: sealed by the built-in authority; not a NOM-151 constancia. */
  readonly profile: 'nom151' | 'rfc3161' | 'development' | (string & {});
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
  /**
   * The account's share of what the time-stamping authorities charged this month: its leaves of each
   * batch, and the constancias that it requested itself.
   */
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
  readonly source: 'reply' | 'acuse' | (string & {});
}

export interface DeliveryOutcome {
  /**
   * cancelled: called back before any server took it; nothing failed. acknowledged, refused: the
   * recipient's own act, where the send asked for it; unanswered: it did not come in time; displayed:
   * what a mail program stated.
   */
  readonly kind: 'sent' | 'bounced' | 'cancelled' | 'complained' | 'acknowledged' | 'refused' | 'displayed' | 'unanswered' | (string & {});
  /**
   * session: a server answered it in our own SMTP session; operator: nobody answered, we ended it;
   * reported_by_mail: a mail said so; recipient_page: somebody who reads the recipient's mailbox acted on
   * the page, with a code that was sent there.
   */
  readonly source: 'session' | 'operator' | 'reported_by_mail' | 'recipient_page' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
  /** Place of the outcome in the log. */
  readonly leaf_index: number | null;
  /** SHA-256, lower-case hex. */
  readonly canonical_hash: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string | null;
}

export interface DmarcAdvice {
  /**
   * The strictest policy that hardly any of the reported mail would suffer from: reject where at most 0.5
   * % fails at the reporter in the middle of those with 50 messages or more, in two reports or more over
   * 7 days; quarantine where at most 2 % does. null: none yet.
   */
  readonly safe_policy: DmarcPolicy | null;
  readonly reason: DmarcAdviceReason;
}

/**
 * too_little_mail: fewer than two such reporters; unaligned_mail: look at the sources whose aligned is
 * less than their messages.
 */
export type DmarcAdviceReason = 'too_little_mail' | 'unaligned_mail' | 'aligned' | (string & {});

export type DmarcPolicy = 'none' | 'quarantine' | 'reject' | (string & {});

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
  readonly status: 'pending' | 'verified' | 'failing' | (string & {});
  readonly readiness?: DomainReadiness | undefined;
  /** Missing records that keep it from being ready, as of the last look-up. */
  readonly failing_records?: readonly string[] | undefined;
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

/**
 * State of its records. ready: verified, and signed with keys that are in the DNS; degraded: verified, or
 * failing, and a record of failing_records is missing; pending: not verified yet.
 */
export type DomainReadiness = 'pending' | 'degraded' | 'ready' | (string & {});

export interface DomainRecord {
  /** Purpose of the record. */
  readonly purpose: 'ownership' | 'dkim' | 'return_path' | 'dmarc' | (string & {});
  /** For return_path, an MX record to the same host also works. */
  readonly type: 'TXT' | 'CNAME' | (string & {});
  /** Full name of the record. */
  readonly name: string;
  /** Value to publish; a TXT value longer than 255 characters goes into several strings of one record. */
  readonly value: string;
  /** True: the domain is not verified without this record. The others improve delivery. */
  readonly required: boolean;
  /** Result of the last look-up. */
  readonly status: 'unchecked' | 'found' | 'missing' | 'mismatch' | 'error' | (string & {});
  /** Values that the last look-up found under the name, or why it failed. */
  readonly found: readonly string[];
  /**
   * State of the key of a DKIM record: pending keys wait for their record, and retired ones keep theirs
   * for a week. null for other records.
   */
  readonly key_status: 'pending' | 'active' | 'retired' | (string & {}) | null;
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

export interface EmailBounced {
  /** The type of the event. */
  readonly type: 'email.bounced' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The event. */
  readonly data: EmailBouncedData;
}

export interface EmailBouncedData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
  /** How it bounced. */
  readonly bounce_type: BounceType;
  /** How, why, and who said so. */
  readonly bounce?: Bounce | undefined;
  /** SMTP reply code (RFC 5321). */
  readonly reply_code: number | null;
  /** Enhanced status code (RFC 3463), where there was one. */
  readonly enhanced: string | null;
  /** Text of the server's reply. */
  readonly reply: string;
  /** True: a server accepted the message and later reported that it could not deliver it. */
  readonly asynchronous: boolean;
}

export interface EmailComplained {
  /** The type of the event. */
  readonly type: 'email.complained' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The event. */
  readonly data: EmailComplainedData;
}

export interface EmailComplainedData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
  /** The kind of complaint, such as abuse (RFC 5965 §7.3). */
  readonly feedback_type: string;
}

export interface EmailDeferred {
  /** The type of the event. */
  readonly type: 'email.deferred' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The event. */
  readonly data: EmailDeferredData;
}

export interface EmailDeferredData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly next_attempt_at: string;
  /** Why, and who said so. */
  readonly deferral?: Deferral | undefined;
  /** SMTP reply code (RFC 5321). */
  readonly reply_code: number | null;
  /** Enhanced status code (RFC 3463), where there was one. */
  readonly enhanced: string | null;
  /** Text of the server's reply. */
  readonly reply: string;
}

export interface EmailQueued {
  /** The type of the event. */
  readonly type: 'email.queued' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The event. */
  readonly data: EmailQueuedData;
}

export interface EmailQueuedData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** The From address. */
  readonly from: string;
  /** The recipient. */
  readonly to: string;
  /** The subject. */
  readonly subject: string;
  /** True: the message is certified. */
  readonly certified: boolean;
}

export interface EmailSealed {
  /** The type of the event. */
  readonly type: 'email.sealed' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The event. */
  readonly data: EmailSealedData;
}

export interface EmailSealedData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** UUIDv7. */
  readonly batch_id: string;
  /** SHA-256, lower-case hex. */
  readonly merkle_root: string;
  /** UUIDv7. */
  readonly certificate_id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string;
}

export interface EmailSent {
  /** The type of the event. */
  readonly type: 'email.sent' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** The event. */
  readonly data: EmailSentData;
}

export interface EmailSentData {
  /** UUIDv7. */
  readonly message_id: string;
  /** UUIDv7. */
  readonly event_id: string;
  /** Recipient address. */
  readonly to: string;
  /** Host name of the mail server. */
  readonly mx: string | null;
  /** SMTP reply code (RFC 5321). */
  readonly reply_code: number | null;
  /** Enhanced status code (RFC 3463), where there was one. */
  readonly enhanced: string | null;
  /** Text of the server's reply. */
  readonly reply: string;
  /** How the connection was encrypted; null if it was not. */
  readonly tls: SessionTls | null;
}

/** Every error answer. */
export interface Error {
  /** The fault, and how to repair it. */
  readonly error: ErrorDetail;
}

/** Each has one HTTP status; see docs/errors.md. */
export type ErrorCode = 'missing_idempotency_key' | 'invalid_idempotency_key' | 'invalid_body' | 'invalid_address' | 'invalid_parameter' | 'empty_batch' | 'batch_too_large' | 'unauthorized' | 'insufficient_scope' | 'approval_required' | 'approval_refused' | 'tenant_suspended' | 'tenant_deactivated' | 'cross_origin_refused' | 'reauthentication_required' | 'not_found' | 'template_not_found' | 'method_not_allowed' | 'request_timeout' | 'conflict' | 'payload_too_large' | 'unsupported_media_type' | 'domain_not_verified' | 'from_not_approved' | 'recipient_suppressed' | 'template_render_error' | 'not_certified' | 'missing_proof_data' | 'idempotency_key_reused' | 'accepted_before' | 'send_at_out_of_range' | 'invalid_link' | 'weak_password' | 'quota_exceeded' | 'rate_limited' | 'internal_error' | 'unavailable' | (string & {});

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
export type EventOrder = 'asc' | 'desc' | (string & {});

export interface EventPage {
  /** The entries, in order. */
  readonly data: readonly Event[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
}

export type EventType = 'email.queued' | 'email.sent' | 'email.deferred' | 'email.bounced' | 'email.complained' | 'email.sealed' | 'acknowledgement.given' | 'acknowledgement.refused' | 'acknowledgement.expired' | (string & {});

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
  /**
   * Renewals of `certificate`, oldest first, each made before a certificate of the previous chain ended.
   * The proof bundle has them.
   */
  readonly renewals: readonly Certificate[];
  /**
   * When the first certificate in the chain of the newest of these time-stamps ends; it is renewed before
   * then. null: not yet determined.
   */
  readonly covered_until: string | null;
  /** The outcomes of the message, each a leaf of its own. */
  readonly delivery: readonly DeliveryOutcome[];
  /**
   * How many outcomes the log signs for: those of `delivery` that are in it. null: its key is gone, and
   * so is that of the log that went on after it. Absent: the server is older than this field.
   */
  readonly outcomes?: OutcomesCount | null | undefined;
  /**
   * When the message was erased: its content, its addresses and the replies of servers can no longer be
   * shown; everything else here stays valid.
   */
  readonly content_deleted_at: string | null;
}

export interface HeaderField {
  /** Name of the field, as it was written. */
  readonly name: string;
  /** Unfolded and decoded. */
  readonly value: string;
}

export interface Health {
  /** ok, or why it is not. */
  readonly status: 'ok' | (string & {});
  /** A database server is lost: requests of its accounts are answered 503. Readiness only. */
  readonly degraded?: boolean | undefined;
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

export interface LogCertificate {
  /** Leaves that the checkpoint covers. */
  readonly tree_size: number;
  /** Leaves before this batch. */
  readonly previous_tree_size: number;
  /** UUIDv7. */
  readonly batch_id: string;
  /** The signed note. */
  readonly checkpoint: string;
  readonly certificate: Certificate;
  /** The authority's answer (RFC 3161), DER in base64. */
  readonly token: string;
  /** Pinned roots and policies that the token was verified against. */
  readonly policy: unknown;
}

export interface MailReport {
  /** Effect of the report on the message. none: it is recorded but changed nothing. */
  readonly effect: 'bounced' | 'complained' | 'none' | (string & {});
  /**
   * other: the report is about another recipient or another message. receipt: a statement of the
   * recipient's program (RFC 8098); claims.reply.text says what it did, and no one proves that anybody
   * read the message. acknowledged: the recipient's own mail, signed by their mail domain.
   */
  readonly says: 'failed' | 'complained' | 'delivered' | 'other' | 'receipt' | 'acknowledged' | (string & {});
  /** RFC 3339, UTC, milliseconds. */
  readonly received_at: string;
  readonly reported_by_mail: ReportedByMail;
}

export interface MailReportList {
  /** The entries, in order. */
  readonly data: readonly MailReport[];
}

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
  readonly bounce?: Bounce | null | undefined;
  /** Why the last attempt did not succeed; null unless it is deferred. */
  readonly deferral?: Deferral | null | undefined;
  readonly reported_by_mail?: ReportedByMail | undefined;
  /**
   * When its content was deleted, because its retention period ended or because its erasure was
   * requested; after an erasure to, subject, tags and metadata are empty.
   */
  readonly content_deleted_at: string | null;
  /**
   * Only while an archive alone has the content: the UTC month of that archive. Reading the content then
   * takes longer, and is 503 while the archive cannot be reached.
   */
  readonly content_archived_in?: string | undefined;
  /** State of the acknowledgement; null: nobody asked for one. */
  readonly acknowledgement?: Acknowledgement | null | undefined;
  /**
   * Certified only: a signed note in which the log promises to include the message; in the answer to a
   * send, several messages may share one signature, each with its path to it. Keep it as it is (see
   * docs/evidence-format.md).
   */
  readonly promise: string | null;
  /**
   * Only in the answer to a send with several recipients: the messages to the others, in the order of to,
   * cc and bcc.
   */
  readonly copies?: readonly MessageCopy[] | undefined;
  /** Only in the answer to a send with skip_suppressed that left out recipients. */
  readonly skipped?: readonly SkippedRecipient[] | undefined;
  /**
   * Only in the answer to a send in which something was dropped, guessed or changed, or cannot work yet.
   * The message was accepted.
   */
  readonly warnings?: readonly SendWarning[] | undefined;
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
  readonly field: 'to' | 'cc' | 'bcc' | (string & {});
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
  /**
   * With a filter, on a page that is not full: created_at of the oldest message read. Continue with
   * next_cursor. null: the page is full, or it is the last.
   */
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
  readonly disposition: 'inline' | 'attachment' | (string & {}) | null;
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

export type MessageStatus = 'scheduled' | 'queued' | 'sent' | 'deferred' | 'bounced' | 'cancelled' | 'complained' | (string & {});

export interface NewApiKey {
  /** Name to recognize the key by. */
  readonly name: string;
  /** Scopes of the key. */
  readonly scopes: readonly Scope[];
  /** Addresses, and *@domain, that the key may have in From. All, when omitted. */
  readonly senders?: readonly string[] | null | undefined;
  /** IP addresses and networks that the key may be used from. All, when omitted. */
  readonly networks?: readonly string[] | null | undefined;
  /** When the key stops working (RFC 3339). */
  readonly expires_at?: string | null | undefined;
  /**
   * Kinds that the key may read but not change, although messages:send would let it. domains includes
   * their senders.
   */
  readonly read_only?: readonly ReadOnlyPart[] | null | undefined;
  /**
   * Each send waits until a person approves it in the portal. Until then it is refused as
   * approval_required; repeated after that, it is answered with the message.
   */
  readonly needs_approval?: boolean | null | undefined;
}

export interface NewDomain {
  /** Unicode names are mapped to A-labels (UTS-46). */
  readonly name: string;
}

export interface NewSender {
  /** An address of a registered domain, or *@domain for all of them. */
  readonly address: string;
}

export interface NewSuppression {
  /** The address that gets no more mail. */
  readonly address: string;
  /** Why, in your words. */
  readonly reason?: string | null | undefined;
}

/** At least one of text and html is required. */
export interface NewTemplate {
  /** Name of the template, unique in the account. */
  readonly name: string;
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null | undefined;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null | undefined;
  /**
   * By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
   * itself.
   */
  readonly variants?: { readonly [name: string]: NewTemplateVariant } | null | undefined;
}

export interface NewTemplateVariant {
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null | undefined;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null | undefined;
}

export interface NewWebhook {
  /**
   * https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
   * connection.
   */
  readonly url: string;
  /** Event types that the endpoint receives. */
  readonly events: readonly Subscription[];
  /** A label of your own. */
  readonly description?: string | null | undefined;
}

export interface OpenShare {
  /** Text after # in the link. */
  readonly secret: string;
}

export interface OutcomesCount {
  /** Outcomes that the log counts of the message. */
  readonly count: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly as_of: string;
  /**
   * Signed note (C2SP tlog-cosignature): of how many outcomes the log knew at that time. The proof bundle
   * holds it as outcomes.note.
   */
  readonly note: string;
}

export interface ProofBundle {
  /** The format of this document. */
  readonly type: 'acuse/bundle/v1' | (string & {});
  /** The files of the bundle. */
  readonly entries: readonly ProofBundleEntry[];
}

export interface ProofBundleEntry {
  /** Path of the file in the bundle. */
  readonly name: string;
  /** The content, where it is text. */
  readonly text?: string | undefined;
  /** The content otherwise. */
  readonly base64?: string | undefined;
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
  readonly bounce_reasons?: readonly BounceReasonShare[] | undefined;
  /** Why messages that are deferred now wait, whenever they were accepted, most frequent first; of 10000. */
  readonly deferral_reasons?: readonly BounceReasonShare[] | undefined;
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

export type ReadOnlyPart = 'domains' | 'webhooks' | (string & {});

/**
 * An address, or Name <address>; or a list. to, cc and bcc take 50 addresses in all; each recipient gets
 * a message of its own.
 */
export type Recipients = string | readonly string[];

/**
 * Webhooks carry all of these but email.cancelled, which is only listed: its data has cancelled_by,
 * sender or operator. Those of acknowledgement go only to endpoints that name them.
 */
export type RecordedEventType = 'email.queued' | 'email.sent' | 'email.deferred' | 'email.bounced' | 'email.complained' | 'email.sealed' | 'acknowledgement.given' | 'acknowledgement.refused' | 'acknowledgement.expired' | 'email.cancelled' | (string & {});

export interface RemoteAddress {
  /** Place of the part among all, from 0; containers are not counted. */
  readonly part: number;
  /** The address that would be loaded. */
  readonly url: string;
}

export interface RenderRequest {
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null | undefined;
  /** Language tag: chooses a variant of the template. */
  readonly locale?: string | null | undefined;
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
  /**
   * Link of the report to the server that accepted the message or to the domain of its recipient. null:
   * nothing; the report then suppresses nobody.
   */
  readonly vouched_by: 'network' | 'dkim' | 'spf' | 'helo' | (string & {}) | null;
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

/**
 * at_risk: above what is advised and below what is refused, or only some of the mail; not_needed: the
 * rule holds for no mail that was seen; unknown: too little was seen.
 */
export type RequirementVerdict = 'met' | 'at_risk' | 'unmet' | 'not_needed' | 'unknown' | (string & {});

export type Scope = 'messages:send' | 'evidence:read' | 'suppressions:write' | 'api_keys:write' | (string & {});

export interface Send {
  /** An address of a verified domain, or Name <address>. */
  readonly from: string;
  readonly to: Recipients;
  /** Shown in Cc: an address or a list. */
  readonly cc?: CopyRecipients | null | undefined;
  /** Blind copies: an address or a list, which no message and no evidence shows. */
  readonly bcc?: CopyRecipients | null | undefined;
  /**
   * true: leave out suppressed recipients and report them in skipped, as long as one is left. Otherwise
   * one suppressed recipient refuses the request.
   */
  readonly skip_suppressed?: boolean | null | undefined;
  /** At most 998 bytes of UTF-8. */
  readonly subject?: string | null | undefined;
  /** Plain body. At least one of text, html, template and template_id is required. */
  readonly text?: string | null | undefined;
  /** HTML body. */
  readonly html?: string | null | undefined;
  /** Overrides the account's default_certified for this message. */
  readonly certified?: boolean | null | undefined;
  /** A template of this account. It gives whichever of subject, text and html the request leaves out. */
  readonly template_id?: string | null | undefined;
  /** The name of a template of this account, in place of template_id. */
  readonly template?: string | null | undefined;
  /**
   * Language tag that chooses a variant of the template: es-MX, else es, else the template's own content.
   * Also the language in which a recipient is asked to acknowledge the message: es or en.
   */
  readonly locale?: string | null | undefined;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null | undefined;
  /** Where replies go: an address or a list. */
  readonly reply_to?: ReplyTo | null | undefined;
  /**
   * When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It is
   * accepted, and promised if certified, now.
   */
  readonly send_at?: string | null | undefined;
  /** Asks the recipient to acknowledge receipt. */
  readonly acknowledgement?: AcknowledgementRequest | null | undefined;
  /**
   * Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days
   * after the message is sent; 15 days when omitted.
   */
  readonly acknowledge_by?: string | null | undefined;
  /**
   * Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID,
   * Importance, Precedence, TLS-Required and others that docs/submitted-messages.md lists.
   */
  readonly headers?: { readonly [name: string]: string } | null | undefined;
  /** Files and inline images. */
  readonly attachments?: readonly Attachment[] | null | undefined;
  /** Labels to filter messages by; never part of the mail. */
  readonly tags?: readonly string[] | null | undefined;
  /** Up to 20 key-value pairs of your own; never part of the mail. */
  readonly metadata?: { readonly [name: string]: string } | null | undefined;
}

export interface SendWarning {
  /**
   * header_dropped: a header was not sent; charset_guessed: text did not say its charset and was taken as
   * UTF-8 or Windows-1252; name_changed: the From name claimed another domain, or a name held invisible
   * characters, a file name control characters too; codes_not_sent: the recipient is asked to acknowledge
   * the message, and the page cannot send its code yet.
   */
  readonly code: 'header_dropped' | 'charset_guessed' | 'name_changed' | 'codes_not_sent' | (string & {});
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
  /**
   * How many of `total` were counted: aligned messages, messages that can be unsubscribed, complaints,
   * addresses with reverse DNS, sessions with TLS.
   */
  readonly part: number | null;
  /**
   * Number of messages looked at; of one_click_unsubscribe the messages marked as sent to many
   * (List-Unsubscribe, List-Id, Precedence: bulk or list), and all of them where it is not_needed.
   */
  readonly total: number | null;
  /** Records, names or addresses that were looked at. */
  readonly found: readonly string[];
}

export type SenderRule = 'dkim' | 'spf' | 'dmarc' | 'alignment' | 'one_click_unsubscribe' | 'complaint_rate' | 'reverse_dns' | 'tls' | (string & {});

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
  readonly tls_policy: 'opportunistic' | 'mta-sts' | 'dane' | 'configuration' | (string & {});
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

export interface SkippedRecipient {
  /** As submitted: an address, or Name <address>. */
  readonly recipient: string;
  /** The field that names the recipient first. */
  readonly field: 'to' | 'cc' | 'bcc' | (string & {});
  /** The error code that the recipient alone would have been refused with. */
  readonly reason: 'recipient_suppressed' | (string & {});
}

/** An event type, or * for all whose name begins with email: those of acknowledgement are named. */
export type Subscription = 'email.queued' | 'email.sent' | 'email.deferred' | 'email.bounced' | 'email.complained' | 'email.sealed' | 'acknowledgement.given' | 'acknowledgement.refused' | 'acknowledgement.expired' | '*' | (string & {});

export interface Suppression {
  /** UUIDv7. */
  readonly id: string;
  /** Normalized for comparison: lower case, domain in A-labels. */
  readonly address: string;
  /** Why, in the words of whoever added it. */
  readonly reason: string;
  /** Origin of the entry. */
  readonly source: 'manual' | 'bounce' | 'complaint' | (string & {});
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
  /**
   * By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
   * itself.
   */
  readonly variants: { readonly [name: string]: TemplateVariant };
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly updated_at: string;
}

export interface TemplateChange {
  /** Name of the template, unique in the account. */
  readonly name?: string | null | undefined;
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject?: string | null | undefined;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null | undefined;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null | undefined;
  /**
   * By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
   * itself.
   */
  readonly variants?: { readonly [name: string]: NewTemplateVariant | null } | null | undefined;
}

/** At least one of text and html is required. */
export interface TemplateDraft {
  /** With {{variables}} (Liquid); line breaks in a value become spaces. */
  readonly subject: string;
  /** Plain body, with {{variables}} (Liquid). */
  readonly text?: string | null | undefined;
  /** HTML body, with {{variables}} (Liquid); values are escaped. */
  readonly html?: string | null | undefined;
  /** The template's data. */
  readonly variables?: { readonly [name: string]: unknown } | null | undefined;
}

export interface TemplatePage {
  /** The entries, in order. */
  readonly data: readonly Template[];
  /** Pass it as after to get the next page; null on the last page. */
  readonly next_cursor: string | null;
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
  /**
   * By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
   * itself.
   */
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

export interface TranscriptLine {
  /** Milliseconds since the session began. */
  readonly t_ms: number;
  /** C: this service; S: the server. */
  readonly who: 'C' | 'S' | (string & {});
  /** The line as transmitted; message data, credentials and the token of the return path are cut out. */
  readonly line: string;
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
export type WaitingCode = 'scheduled' | 'outcome_unknown' | 'held_for_mode' | 'account_paused' | 'destination_paused' | 'being_tried' | 'capped' | 'next_attempt' | 'due' | 'destination_closed' | 'destination_busy' | 'behind_others' | 'nothing_known' | 'not_tried' | 'last_reply' | 'expires' | 'expired' | (string & {});

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
  /**
   * https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
   * connection.
   */
  readonly url: string;
  /** Event types that the endpoint receives. */
  readonly events: readonly Subscription[];
  /** A label of your own. */
  readonly description: string | null;
  /** True: events are delivered. */
  readonly enabled: boolean;
  /**
   * gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it is
   * enabled.
   */
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
  /**
   * Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values
   * that open sessions are hidden. null: no answer came, or the message was erased.
   */
  readonly response_headers: { readonly [name: string]: string } | null;
  /** The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was erased. */
  readonly response_excerpt: string | null;
}

export interface WebhookChange {
  /**
   * https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
   * connection.
   */
  readonly url?: string | null | undefined;
  /** Event types that the endpoint receives. */
  readonly events?: readonly Subscription[] | null | undefined;
  /** A label of your own. */
  readonly description?: string | null | undefined;
  /** true enables the endpoint again; false disables it, and events waiting for it fail. */
  readonly enabled?: boolean | null | undefined;
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
  /**
   * With a filter, on a page that is not full: created_at of the oldest delivery read. Continue with
   * next_cursor. null: the page is full, or it is the last.
   */
  readonly scanned_to: string | null;
}

/** pending: in progress or to be retried; failed: given up, can be replayed. */
export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'failed' | (string & {});

export type WebhookDisabledReason = 'gone' | 'failing' | 'manual' | (string & {});

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
  /**
   * Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values
   * that open sessions are hidden. null: no answer came, or the message was erased.
   */
  readonly response_headers: { readonly [name: string]: string } | null;
  /** The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was erased. */
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
  /**
   * Deliveries that wait for their next attempt, 10,000 at most. Absent: from a server that cannot replay
   * them.
   */
  readonly waiting?: number | undefined;
  /** There are more: counting ended at its limit. */
  readonly more: boolean;
}

export interface WebhookReplayRequest {
  /** RFC 3339 time. Deliveries made before it are not affected. */
  readonly since: string;
  /** true: deliveries that wait for their next attempt are tried now, too, with all their retries. */
  readonly waiting?: boolean | null | undefined;
}

export interface WebhookWithSecret {
  /** UUIDv7. */
  readonly id: string;
  /**
   * https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
   * connection.
   */
  readonly url: string;
  /** Event types that the endpoint receives. */
  readonly events: readonly Subscription[];
  /** A label of your own. */
  readonly description: string | null;
  /** True: events are delivered. */
  readonly enabled: boolean;
  /**
   * gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it is
   * enabled.
   */
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

/** Filters of messages.list. */
export interface ListMessagesQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  /**
   * Messages with all of these words: each begins a word of the subject or of the recipient's name, is
   * part of the recipient's address, or begins the id that the receiving server gave the message.
   * Accents, upper and lower case are the same.
   */
  readonly q?: string | undefined;
  /** Messages in one of these states: repeat it, or separate them by commas. */
  readonly status?: readonly (MessageStatus)[] | MessageStatus | undefined;
  readonly certified?: boolean | undefined;
  /** True: it has a constancia. Plain messages never have one. */
  readonly sealed?: boolean | undefined;
  /** Messages that bounced in one of these ways. */
  readonly bounce_type?: readonly (BounceType)[] | BounceType | undefined;
  /** Messages that bounced for one of these reasons. */
  readonly bounce_reason?: readonly (BounceReason)[] | BounceReason | undefined;
  /** Messages that bounced, or wait for another attempt, for one of these reasons. */
  readonly reason?: readonly (BounceReason)[] | BounceReason | undefined;
  /** Messages that asked their recipient to acknowledge them, and are in one of these states. */
  readonly acknowledgement?: readonly (AcknowledgementStatus)[] | AcknowledgementStatus | undefined;
  /** Sender address, in any spelling, or a domain for all of its addresses. */
  readonly from?: string | undefined;
  /** Recipient address, in any spelling, or a domain for all of its addresses. */
  readonly to?: string | undefined;
  /** Messages whose subject contains this text; upper and lower case are the same. */
  readonly subject?: string | undefined;
  /** Messages that carry this tag. */
  readonly tag?: string | undefined;
  /** Messages made from this template. */
  readonly template_id?: string | undefined;
  /** Messages that this API key sent. */
  readonly api_key_id?: string | undefined;
  /** Messages whose metadata has this key. */
  readonly metadata_key?: string | undefined;
  /** With metadata_key: messages whose metadata has this value there. */
  readonly metadata_value?: string | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of messages.exportCsv. */
export interface ExportMessagesQuery {
  /**
   * Messages with all of these words: each begins a word of the subject or of the recipient's name, is
   * part of the recipient's address, or begins the id that the receiving server gave the message.
   * Accents, upper and lower case are the same.
   */
  readonly q?: string | undefined;
  /** Messages in one of these states: repeat it, or separate them by commas. */
  readonly status?: readonly (MessageStatus)[] | MessageStatus | undefined;
  readonly certified?: boolean | undefined;
  /** True: it has a constancia. Plain messages never have one. */
  readonly sealed?: boolean | undefined;
  /** Messages that bounced in one of these ways. */
  readonly bounce_type?: readonly (BounceType)[] | BounceType | undefined;
  /** Messages that bounced for one of these reasons. */
  readonly bounce_reason?: readonly (BounceReason)[] | BounceReason | undefined;
  /** Messages that bounced, or wait for another attempt, for one of these reasons. */
  readonly reason?: readonly (BounceReason)[] | BounceReason | undefined;
  /** Messages that asked their recipient to acknowledge them, and are in one of these states. */
  readonly acknowledgement?: readonly (AcknowledgementStatus)[] | AcknowledgementStatus | undefined;
  /** Sender address, in any spelling, or a domain for all of its addresses. */
  readonly from?: string | undefined;
  /** Recipient address, in any spelling, or a domain for all of its addresses. */
  readonly to?: string | undefined;
  /** Messages whose subject contains this text; upper and lower case are the same. */
  readonly subject?: string | undefined;
  /** Messages that carry this tag. */
  readonly tag?: string | undefined;
  /** Messages made from this template. */
  readonly template_id?: string | undefined;
  /** Messages that this API key sent. */
  readonly api_key_id?: string | undefined;
  /** Messages whose metadata has this key. */
  readonly metadata_key?: string | undefined;
  /** With metadata_key: messages whose metadata has this value there. */
  readonly metadata_value?: string | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of messages.listEvents. */
export interface ListMessageEventsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
}

/** Filters of messages.listAttempts. */
export interface ListMessageAttemptsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
}

/** Filters of evidence.listVerifications. */
export interface ListVerificationsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  /** Id of the message. */
  readonly message_id?: string | undefined;
  /** Only entries with this result. */
  readonly result?: 'valid' | 'invalid' | 'opened' | 'not_found' | 'missing_proof_data' | 'unavailable' | 'internal_error' | (string & {}) | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of templates.list. */
export interface ListTemplatesQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
}

/** Filters of templates.listVersions. */
export interface ListTemplateVersionsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
}

/** Filters of domains.list. */
export interface ListDomainsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  /** Only a verified domain may send. */
  readonly status?: 'pending' | 'verified' | 'failing' | (string & {}) | undefined;
}

/** Filters of domains.reports. */
export interface GetDomainReportsQuery {
  /** Days up to now that the reports are about. */
  readonly days?: number | undefined;
}

/** Filters of senders.list. */
export interface ListSendersQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  readonly active?: boolean | undefined;
  /** Senders of this domain. */
  readonly domain_id?: string | undefined;
}

/** Filters of suppressions.exportCsv. */
export interface ExportSuppressionsQuery {
  /** Filter by this address, in any spelling. */
  readonly address?: string | undefined;
  readonly source?: 'manual' | 'bounce' | 'complaint' | (string & {}) | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of suppressions.list. */
export interface ListSuppressionsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  /** Filter by this address, in any spelling. */
  readonly address?: string | undefined;
  readonly source?: 'manual' | 'bounce' | 'complaint' | (string & {}) | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of webhooks.list. */
export interface ListWebhooksQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
}

/** Filters of webhooks.listDeliveries. */
export interface ListWebhookDeliveriesQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  readonly status?: WebhookDeliveryStatus | undefined;
  /** Deliveries of these events: repeat it, or separate them by commas. */
  readonly type?: readonly (EventType)[] | EventType | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of webhooks.countReplay. */
export interface CountWebhookReplayQuery {
  /** Failed deliveries made at this moment or later (RFC 3339). Omitted: all that are kept. */
  readonly since?: string | Date | undefined;
}

/** Filters of events.list. */
export interface ListEventsQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
  readonly order?: EventOrder | undefined;
  /** Events of these types: repeat it, or separate them by commas. */
  readonly type?: readonly (RecordedEventType)[] | RecordedEventType | undefined;
  /** Events of this message. */
  readonly message_id?: string | undefined;
  /** Entries made at this moment or later (RFC 3339). */
  readonly created_after?: string | Date | undefined;
  /** Entries made before this moment (RFC 3339). */
  readonly created_before?: string | Date | undefined;
}

/** Filters of rates.get. */
export interface GetRatesQuery {
  /** Number of UTC days, including today. */
  readonly days?: number | undefined;
}

/** Filters of apiKeys.list. */
export interface ListApiKeysQuery {
  /** Number of entries to return. */
  readonly limit?: number | undefined;
  /** next_cursor of the previous page. */
  readonly after?: string | undefined;
}

/** What the body of a webhook delivery holds, by its type. */
export type EventOfType =
  | { readonly type: 'email.queued'; readonly data: EmailQueuedData }
  | { readonly type: 'email.sent'; readonly data: EmailSentData }
  | { readonly type: 'email.deferred'; readonly data: EmailDeferredData }
  | { readonly type: 'email.bounced'; readonly data: EmailBouncedData }
  | { readonly type: 'email.complained'; readonly data: EmailComplainedData }
  | { readonly type: 'email.sealed'; readonly data: EmailSealedData }
  | { readonly type: 'acknowledgement.given'; readonly data: AcknowledgementGivenData }
  | { readonly type: 'acknowledgement.refused'; readonly data: AcknowledgementRefusedData }
  | { readonly type: 'acknowledgement.expired'; readonly data: AcknowledgementExpiredData };

/** Types of webhook events that are known today. */
export const EVENT_TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
  'acknowledgement.given',
  'acknowledgement.refused',
  'acknowledgement.expired',
] as const;
