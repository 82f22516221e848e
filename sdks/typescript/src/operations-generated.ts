// Generated from contract/openapi.json by sdks/generate/typescript.mjs: do not edit.

import { jsonBody, rawBody } from './body.ts';
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import type { CallOptions } from './options.ts';
import { type Listing, listing } from './paging.ts';
import type {
  Account,
  AccountEvent,
  AccountEventPage,
  ApiKey,
  ApiKeyPage,
  ApiKeyWithSecret,
  Attempt,
  AttemptPage,
  CountWebhookReplayQuery,
  Domain,
  DomainPage,
  DomainReports,
  DomainRequirements,
  Event,
  EventPage,
  Evidence,
  ExportMessagesQuery,
  ExportSuppressionsQuery,
  GetDomainReportsQuery,
  GetRatesQuery,
  Health,
  ListApiKeysQuery,
  ListDomainsQuery,
  ListEventsQuery,
  ListMessageAttemptsQuery,
  ListMessageEventsQuery,
  ListMessagesQuery,
  ListSendersQuery,
  ListSuppressionsQuery,
  ListTemplateVersionsQuery,
  ListTemplatesQuery,
  ListVerificationsQuery,
  ListWebhookDeliveriesQuery,
  ListWebhooksQuery,
  LogCertificate,
  MailReportList,
  Message,
  MessageChange,
  MessagePage,
  MessageParts,
  NewApiKey,
  NewDomain,
  NewSender,
  NewSuppression,
  NewTemplate,
  NewWebhook,
  OpenShare,
  ProofBundle,
  Rates,
  RenderRequest,
  RenderedDraft,
  RenderedTemplate,
  Sender,
  SenderChange,
  SenderPage,
  Suppression,
  SuppressionImport,
  SuppressionPage,
  Template,
  TemplateChange,
  TemplateDraft,
  TemplatePage,
  TemplateVersion,
  TemplateVersionPage,
  Verification,
  VerificationRecord,
  VerificationRecordPage,
  VerifyRequest,
  Waiting,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryPage,
  WebhookPage,
  WebhookPing,
  WebhookReplay,
  WebhookReplayCount,
  WebhookReplayRequest,
  WebhookWithSecret,
} from './types-generated.ts';

/** `acuse.messages`. */
export class MessagesOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * List messages.
   *
   * Newest first. Filters are combined: a message must match each. A page with a filter reads up to 8,000
   * messages (of one recipient, with to), so that it may be short or empty before the last page: continue
   * while next_cursor is not null.
   *
   * Scope: `evidence:read`.
   */
  list(query?: ListMessagesQuery, options?: CallOptions): Listing<Message, MessagePage> {
    return listing(this.#calls, OPERATIONS['messages.list'], { query, options });
  }

  /**
   * Export messages as CSV.
   *
   * Every message that matches the filters of the list, newest first, as UTF-8 with a header line. A cell
   * that a spreadsheet would take for a formula starts with an apostrophe. The answer is as long as the
   * list: it is read a page at a time while you receive it.
   *
   * Scope: `evidence:read`.
   */
  async exportCsv(query?: ExportMessagesQuery, options?: CallOptions): Promise<string> {
    return (await this.#calls.value(OPERATIONS['messages.exportCsv'], { query, options })) as string;
  }

  /**
   * Read a message.
   *
   * Its status, the last reply of the recipient's server, and what is known of its bounce. Attempts and
   * evidence have routes of their own.
   *
   * Scope: `evidence:read`.
   */
  async get(id: string, options?: CallOptions): Promise<Message> {
    return (await this.#calls.value(OPERATIONS['messages.get'], { path: { id }, options })) as Message;
  }

  /**
   * Move a scheduled message.
   *
   * Gives a scheduled message another send_at, at most 30 days after it was accepted; null, or a time
   * that has just passed, queues it at once. Nothing else of an accepted message can be changed: cancel
   * it and send another. Answers 409 once it has been queued or cancelled.
   *
   * Scope: `messages:send`.
   */
  async update(id: string, body: MessageChange, options?: CallOptions): Promise<Message> {
    return (await this.#calls.value(OPERATIONS['messages.update'], { path: { id }, body: jsonBody(body), options })) as Message;
  }

  /**
   * List a message's events.
   *
   * Oldest first. A cancellation is listed too, as email.cancelled, although webhooks do not carry it.
   *
   * Scope: `evidence:read`.
   */
  listEvents(id: string, query?: ListMessageEventsQuery, options?: CallOptions): Listing<Event, EventPage> {
    return listing(this.#calls, OPERATIONS['messages.listEvents'], { path: { id }, query, options });
  }

  /**
   * Download the composed message.
   *
   * The message as composed and hashed, starting with its first header (Service-Evidence); DKIM
   * signatures are put in front of it at delivery. Also answers 404 after its content was deleted: the
   * error message says when and why. With `Service-Content-Source: archive` the content came from the
   * archive of its month, which takes longer; while that archive cannot be reached, 503.
   *
   * Scope: `evidence:read`.
   */
  async getRaw(id: string, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['messages.getRaw'], { path: { id }, options })) as Uint8Array;
  }

  /**
   * Read a message's headers, parts and links.
   *
   * The contents of the composed message: its header fields, its parts with the hashes that its evidence
   * has, the links of its texts with the addresses that they open, and what a mail program would fetch
   * from elsewhere. Answers 404 after its content was deleted: the error message says when and why.
   *
   * Scope: `evidence:read`.
   */
  async getParts(id: string, options?: CallOptions): Promise<MessageParts> {
    return (await this.#calls.value(OPERATIONS['messages.getParts'], { path: { id }, options })) as MessageParts;
  }

  /**
   * Download a part of a message.
   *
   * The decoded content of the part, as it was hashed: a text without a file name is in UTF-8 with LF
   * line ends and without white space at line ends. Whatever its media type, it is sent as a file to be
   * saved.
   *
   * Scope: `evidence:read`.
   */
  async getPart(id: string, index: string, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['messages.getPart'], { path: { id, index }, options })) as Uint8Array;
  }

  /**
   * List a message's delivery attempts.
   *
   * Delivery attempts, oldest first, each with the SMTP transcript of every host that was tried.
   *
   * Scope: `evidence:read`.
   */
  listAttempts(id: string, query?: ListMessageAttemptsQuery, options?: CallOptions): Listing<Attempt, AttemptPage> {
    return listing(this.#calls, OPERATIONS['messages.listAttempts'], { path: { id }, query, options });
  }

  /**
   * List what was reported by mail.
   *
   * Mail to the return path of the message: the host that delivered it, its DKIM and SPF results, and
   * what it claims. Only the first of each kind; of receipts, the first that says displayed. The SMTP
   * sessions of this service are under attempts.
   *
   * Scope: `evidence:read`.
   */
  async listReports(id: string, options?: CallOptions): Promise<MailReportList> {
    return (await this.#calls.value(OPERATIONS['messages.listReports'], { path: { id }, options })) as MailReportList;
  }

  /**
   * Download the delivery status notification.
   *
   * The newest multipart/report (RFC 3464) of the message: relayed when it was sent, failed when it
   * bounced, delayed while it has been deferred for over four hours. The bounce may be a report that came
   * by mail: see /reports. Answers 404 while there is none, and after the message was erased.
   *
   * Scope: `evidence:read`.
   */
  async getDsn(id: string, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['messages.getDsn'], { path: { id }, options })) as Uint8Array;
  }

  /**
   * Retry a deferred message now.
   *
   * Makes a deferred message due at once instead of at its next attempt; the schedule continues after it.
   * Answers 409 for a message in any other state, for one that is being handed over at the moment, and
   * while the operator has paused its mail; the error message says which.
   *
   * Scope: `messages:send`.
   */
  async retry(id: string, options?: CallOptions): Promise<Message> {
    return (await this.#calls.value(OPERATIONS['messages.retry'], { path: { id }, options })) as Message;
  }

  /**
   * Cancel a message.
   *
   * Ends a queued or deferred message that is not being handed over at the moment: its status becomes
   * cancelled, and, if it is certified, the log gets an outcome that says so. A cancelled message has not
   * bounced: it counts in no rate, and there is no delivery report about it. Its events list
   * email.cancelled, which webhooks do not carry. Its quota stays used. 409 once a server may have it,
   * and for what has ended already.
   *
   * Scope: `messages:send`.
   */
  async cancel(id: string, options?: CallOptions): Promise<Message> {
    return (await this.#calls.value(OPERATIONS['messages.cancel'], { path: { id }, options })) as Message;
  }

  /**
   * Say why a message waits.
   *
   * Reasons why the message waits, the present one first: its schedule, its next attempt, a pause, a busy
   * destination, the messages before it; then its last reply and when it expires. Empty once it is sent,
   * bounced or cancelled.
   *
   * Scope: `evidence:read`.
   */
  async getWaiting(id: string, options?: CallOptions): Promise<Waiting> {
    return (await this.#calls.value(OPERATIONS['messages.getWaiting'], { path: { id }, options })) as Waiting;
  }
}

/** `acuse.evidence`. */
export class EvidenceOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Seal a message on demand.
   *
   * Gets a constancia over this message's canonical hash alone, in addition to the one over its batch,
   * and answers with the evidence: `message_certificate` is the new one. Only once the batch is sealed,
   * and at any time after. Repeated or concurrent requests answer with the one that exists: only one is
   * bought. While no time-stamping authority answers, 503 and nothing is stored.
   *
   * Scope: `messages:send`.
   */
  async seal(id: string, options?: CallOptions): Promise<Evidence> {
    return (await this.#calls.value(OPERATIONS['evidence.seal'], { path: { id }, options })) as Evidence;
  }

  /**
   * Evidence of a sealed message.
   *
   * Its place in the log, the constancia over its batch, and its outcomes.
   *
   * Scope: `evidence:read`.
   */
  async get(id: string, options?: CallOptions): Promise<Evidence> {
    return (await this.#calls.value(OPERATIONS['evidence.get'], { path: { id }, options })) as Evidence;
  }

  /**
   * Proof bundle of a sealed message.
   *
   * Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or with
   * `Accept: application/json` as one JSON document of the same entries. With `Accept: application/pdf` a
   * PDF: the pages of the report, the ZIP attached, and a document time-stamp (`ETSI.RFC3161`) of a
   * time-stamping authority over all of it. The first PDF costs a time-stamp and takes the scope
   * `messages:send`, as sealing on demand does; a later request answers with the same one, unless the
   * evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were counted over 7 days
   * ago. While no authority answers, 503 and nothing is stored. With `Service-Content-Source: archive`
   * the content came from the archive of its month, which takes longer; while that archive cannot be
   * reached, 503.
   *
   * Scope: `evidence:read`.
   */
  async getBundle(id: string, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['evidence.getBundle'], { path: { id }, options })) as Uint8Array;
  }

  /**
   * Get the proof bundle as JSON.
   *
   * Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or with
   * `Accept: application/json` as one JSON document of the same entries. With `Accept: application/pdf` a
   * PDF: the pages of the report, the ZIP attached, and a document time-stamp (`ETSI.RFC3161`) of a
   * time-stamping authority over all of it. The first PDF costs a time-stamp and takes the scope
   * `messages:send`, as sealing on demand does; a later request answers with the same one, unless the
   * evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were counted over 7 days
   * ago. While no authority answers, 503 and nothing is stored. With `Service-Content-Source: archive`
   * the content came from the archive of its month, which takes longer; while that archive cannot be
   * reached, 503.
   *
   * Scope: `evidence:read`.
   */
  async getBundleJson(id: string, options?: CallOptions): Promise<ProofBundle> {
    return (await this.#calls.value(OPERATIONS['evidence.getBundleJson'], { path: { id }, options })) as ProofBundle;
  }

  /**
   * Get the evidence as a PDF with the bundle attached.
   *
   * Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or with
   * `Accept: application/json` as one JSON document of the same entries. With `Accept: application/pdf` a
   * PDF: the pages of the report, the ZIP attached, and a document time-stamp (`ETSI.RFC3161`) of a
   * time-stamping authority over all of it. The first PDF costs a time-stamp and takes the scope
   * `messages:send`, as sealing on demand does; a later request answers with the same one, unless the
   * evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were counted over 7 days
   * ago. While no authority answers, 503 and nothing is stored. With `Service-Content-Source: archive`
   * the content came from the archive of its month, which takes longer; while that archive cannot be
   * reached, 503.
   *
   * Scope: `evidence:read`.
   */
  async getBundlePdf(id: string, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['evidence.getBundlePdf'], { path: { id }, options })) as Uint8Array;
  }

  /**
   * Verify a sealed message.
   *
   * Recomputes everything from the stored bytes: the message against its manifest, the manifest against
   * the log, the log against its signature and the constancia. Every query is recorded, whatever its
   * result.
   *
   * Scope: `evidence:read`.
   */
  async verify(body: VerifyRequest, options?: CallOptions): Promise<Verification> {
    return (await this.#calls.value(OPERATIONS['evidence.verify'], { body: jsonBody(body), options })) as Verification;
  }

  /**
   * List verifications.
   *
   * The access log: every query of this account with POST /v1/verify, whatever its result, and every
   * opening of a message that it shared, newest first.
   *
   * Scope: `evidence:read`.
   */
  listVerifications(query?: ListVerificationsQuery, options?: CallOptions): Listing<VerificationRecord, VerificationRecordPage> {
    return listing(this.#calls, OPERATIONS['evidence.listVerifications'], { query, options });
  }
}

/** `acuse.shares`. */
export class SharesOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Open a shared proof.
   *
   * Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with
   * `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles with an
   * index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is wrong, has
   * expired or was revoked answers 404, each alike. Every opening is in the access log of the account.
   *
   * No key needed.
   */
  async open(id: string, body: OpenShare, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['shares.open'], { path: { id }, body: jsonBody(body), options })) as Uint8Array;
  }

  /**
   * Open a shared proof as JSON.
   *
   * Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with
   * `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles with an
   * index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is wrong, has
   * expired or was revoked answers 404, each alike. Every opening is in the access log of the account.
   *
   * No key needed.
   */
  async openJson(id: string, body: OpenShare, options?: CallOptions): Promise<ProofBundle> {
    return (await this.#calls.value(OPERATIONS['shares.openJson'], { path: { id }, body: jsonBody(body), options })) as ProofBundle;
  }
}

/** `acuse.templates`. */
export class TemplatesOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Create a template.
   *
   * Saves the first version. The parts are parsed: a syntax error or an unknown filter answers 400 and
   * names the place.
   *
   * Scope: `messages:send`.
   */
  async create(body: NewTemplate, options?: CallOptions): Promise<Template> {
    return (await this.#calls.value(OPERATIONS['templates.create'], { body: jsonBody(body), options })) as Template;
  }

  /**
   * List templates.
   *
   * The templates of the account in their current version, newest first.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  list(query?: ListTemplatesQuery, options?: CallOptions): Listing<Template, TemplatePage> {
    return listing(this.#calls, OPERATIONS['templates.list'], { query, options });
  }

  /**
   * Read a template.
   *
   * Its current version, with the variants for other languages.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async get(id: string, options?: CallOptions): Promise<Template> {
    return (await this.#calls.value(OPERATIONS['templates.get'], { path: { id }, options })) as Template;
  }

  /**
   * Change a template.
   *
   * A change of content makes a new version; messages sent before keep theirs. null removes text, html or
   * a variant; variants that are not named stay.
   *
   * Scope: `messages:send`.
   */
  async update(id: string, body: TemplateChange, options?: CallOptions): Promise<Template> {
    return (await this.#calls.value(OPERATIONS['templates.update'], { path: { id }, body: jsonBody(body), options })) as Template;
  }

  /**
   * Delete a template.
   *
   * Messages that were sent with it keep their content. Its name can be used again.
   *
   * Scope: `messages:send`.
   */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.value(OPERATIONS['templates.delete'], { path: { id }, options });
  }

  /**
   * List a template's versions.
   *
   * Versions of the template, newest first; the first is the current one. To restore one, change the
   * template to its content.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  listVersions(id: string, query?: ListTemplateVersionsQuery, options?: CallOptions): Listing<TemplateVersion, TemplateVersionPage> {
    return listing(this.#calls, OPERATIONS['templates.listVersions'], { path: { id }, query, options });
  }

  /**
   * Preview a template before it is saved.
   *
   * Renders the given content with these variables; nothing is saved or sent.
   *
   * Scope: `messages:send`.
   */
  async renderDraft(body: TemplateDraft, options?: CallOptions): Promise<RenderedDraft> {
    return (await this.#calls.value(OPERATIONS['templates.renderDraft'], { body: jsonBody(body), options })) as RenderedDraft;
  }

  /**
   * Preview a template.
   *
   * Renders the current version with these variables; nothing is sent.
   *
   * Scope: `messages:send`.
   */
  async render(id: string, body: RenderRequest, options?: CallOptions): Promise<RenderedTemplate> {
    return (await this.#calls.value(OPERATIONS['templates.render'], { path: { id }, body: jsonBody(body), options })) as RenderedTemplate;
  }
}

/** `acuse.domains`. */
export class DomainsOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Register a domain.
   *
   * Answers with the DNS records to publish. Public suffixes are refused. A domain that is verified for
   * another account is refused by verify once its records are published.
   *
   * Scope: `messages:send`.
   */
  async create(body: NewDomain, options?: CallOptions): Promise<Domain> {
    return (await this.#calls.value(OPERATIONS['domains.create'], { body: jsonBody(body), options })) as Domain;
  }

  /**
   * List domains.
   *
   * The domains of the account with their records and readiness, newest first.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  list(query?: ListDomainsQuery, options?: CallOptions): Listing<Domain, DomainPage> {
    return listing(this.#calls, OPERATIONS['domains.list'], { query, options });
  }

  /**
   * Read a domain.
   *
   * The domain with what the last look-up found for each record.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async get(id: string, options?: CallOptions): Promise<Domain> {
    return (await this.#calls.value(OPERATIONS['domains.get'], { path: { id }, options })) as Domain;
  }

  /**
   * Delete a domain.
   *
   * Deletes the domain with its DKIM keys and senders; another account can then verify the name.
   *
   * Scope: `messages:send`.
   */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.value(OPERATIONS['domains.delete'], { path: { id }, options });
  }

  /**
   * Verify a domain.
   *
   * Looks up all records now and reports what was found for each. Answers 200 whatever was found: read
   * status. A verified domain is checked daily and has 24 h of grace.
   *
   * Scope: `messages:send`.
   */
  async verify(id: string, options?: CallOptions): Promise<Domain> {
    return (await this.#calls.value(OPERATIONS['domains.verify'], { path: { id }, options })) as Domain;
  }

  /**
   * Rotate DKIM keys.
   *
   * Creates new keys next to the old ones, which sign until verify or the daily check finds the records
   * of the new ones. Keep the old records for a week after that.
   *
   * Scope: `messages:send`.
   */
  async rotateDkim(id: string, options?: CallOptions): Promise<Domain> {
    return (await this.#calls.value(OPERATIONS['domains.rotateDkim'], { path: { id }, options })) as Domain;
  }

  /**
   * Read reports about a domain.
   *
   * Reports of receivers about mail with this domain in From (DMARC, RFC 7489), and senders of TLS with
   * its mail hosts (RFC 8460), added up. Reports come to dmarc@ and tlsrpt@ of its bounce host, and count
   * if DKIM or SPF proves who sent them.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async reports(id: string, query?: GetDomainReportsQuery, options?: CallOptions): Promise<DomainReports> {
    return (await this.#calls.value(OPERATIONS['domains.reports'], { path: { id }, query, options })) as DomainReports;
  }

  /**
   * Read how a domain stands with the rules for bulk senders.
   *
   * The requirements of Gmail and Yahoo for bulk senders, and what was seen of each in the last 30 days.
   * Complaints are those that reached this service: Gmail reports none, see Google Postmaster Tools for
   * its own rate.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async requirements(id: string, options?: CallOptions): Promise<DomainRequirements> {
    return (await this.#calls.value(OPERATIONS['domains.requirements'], { path: { id }, options })) as DomainRequirements;
  }
}

/** `acuse.senders`. */
export class SendersOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Approve a sender.
   *
   * Allows sending from the address once its domain is verified.
   *
   * Scope: `messages:send`.
   */
  async create(body: NewSender, options?: CallOptions): Promise<Sender> {
    return (await this.#calls.value(OPERATIONS['senders.create'], { body: jsonBody(body), options })) as Sender;
  }

  /**
   * List senders.
   *
   * The addresses that may be in From, newest first.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  list(query?: ListSendersQuery, options?: CallOptions): Listing<Sender, SenderPage> {
    return listing(this.#calls, OPERATIONS['senders.list'], { query, options });
  }

  /**
   * Read a sender.
   *
   * One sender by its id.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async get(id: string, options?: CallOptions): Promise<Sender> {
    return (await this.#calls.value(OPERATIONS['senders.get'], { path: { id }, options })) as Sender;
  }

  /**
   * Enable or disable a sender.
   *
   * Applies from the next send on; messages accepted before are still delivered.
   *
   * Scope: `messages:send`.
   */
  async update(id: string, body: SenderChange, options?: CallOptions): Promise<Sender> {
    return (await this.#calls.value(OPERATIONS['senders.update'], { path: { id }, body: jsonBody(body), options })) as Sender;
  }

  /**
   * Delete a sender.
   *
   * Its address is no longer approved, unless a *@domain approves it.
   *
   * Scope: `messages:send`.
   */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.value(OPERATIONS['senders.delete'], { path: { id }, options });
  }
}

/** `acuse.suppressions`. */
export class SuppressionsOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Import addresses to suppress.
   *
   * Takes CSV with a header line: address (or email), and reason if you like; other columns are ignored.
   * A file without names has an address per line. Up to 10,000 addresses; each line is added by itself,
   * so that the same file can be sent again.
   *
   * Scope: `suppressions:write`.
   */
  async importCsv(body: Uint8Array | string, options?: CallOptions): Promise<SuppressionImport> {
    return (await this.#calls.value(OPERATIONS['suppressions.importCsv'], { body: rawBody(body), options })) as SuppressionImport;
  }

  /**
   * Export suppressed addresses as CSV.
   *
   * Every entry that matches the filters of the list, newest first, as UTF-8 with a header line; the file
   * can be imported again. A cell that a spreadsheet would take for a formula starts with an apostrophe.
   *
   * Scope: `evidence:read`.
   */
  async exportCsv(query?: ExportSuppressionsQuery, options?: CallOptions): Promise<string> {
    return (await this.#calls.value(OPERATIONS['suppressions.exportCsv'], { query, options })) as string;
  }

  /**
   * Suppress an address.
   *
   * Sends to it are refused from now on with recipient_suppressed. An address that is already on the list
   * answers 200 with its existing entry.
   *
   * Scope: `suppressions:write`.
   */
  async create(body: NewSuppression, options?: CallOptions): Promise<Suppression> {
    return (await this.#calls.value(OPERATIONS['suppressions.create'], { body: jsonBody(body), options })) as Suppression;
  }

  /**
   * List suppressed addresses.
   *
   * The account's own list, newest first. The operator's global list is not shown.
   *
   * Scope: `evidence:read`.
   */
  list(query?: ListSuppressionsQuery, options?: CallOptions): Listing<Suppression, SuppressionPage> {
    return listing(this.#calls, OPERATIONS['suppressions.list'], { query, options });
  }

  /**
   * Allow an address again.
   *
   * Removes the entry from the list; the next send to the address is accepted.
   *
   * Scope: `suppressions:write`.
   */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.value(OPERATIONS['suppressions.delete'], { path: { id }, options });
  }
}

/** `acuse.webhooks`. */
export class WebhooksOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Create a webhook endpoint.
   *
   * The secret is shown only in this answer: keep it to verify Service-Signature. Limit: 20 endpoints per
   * account.
   *
   * Scope: `messages:send`.
   */
  async create(body: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret> {
    return (await this.#calls.value(OPERATIONS['webhooks.create'], { body: jsonBody(body), options })) as WebhookWithSecret;
  }

  /**
   * List webhook endpoints.
   *
   * The endpoints of the account with their state, newest first.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  list(query?: ListWebhooksQuery, options?: CallOptions): Listing<Webhook, WebhookPage> {
    return listing(this.#calls, OPERATIONS['webhooks.list'], { query, options });
  }

  /**
   * Read a webhook endpoint.
   *
   * Its URL, events and state; the secret is shown only when it is made or rotated.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async get(id: string, options?: CallOptions): Promise<Webhook> {
    return (await this.#calls.value(OPERATIONS['webhooks.get'], { path: { id }, options })) as Webhook;
  }

  /**
   * Change a webhook endpoint.
   *
   * Events waiting for the endpoint go to its new url. Omitted fields stay unchanged.
   *
   * Scope: `messages:send`.
   */
  async update(id: string, body: WebhookChange, options?: CallOptions): Promise<Webhook> {
    return (await this.#calls.value(OPERATIONS['webhooks.update'], { path: { id }, body: jsonBody(body), options })) as Webhook;
  }

  /**
   * Delete a webhook endpoint.
   *
   * Deletes the endpoint; events waiting for it are no longer delivered.
   *
   * Scope: `messages:send`.
   */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.value(OPERATIONS['webhooks.delete'], { path: { id }, options });
  }

  /**
   * Rotate the secret.
   *
   * Service-Signature is keyed with the new secret at once; for 24 hours Service-Signature-Previous and a
   * second webhook-signature carry the old one.
   *
   * Scope: `messages:send`.
   */
  async rotateSecret(id: string, options?: CallOptions): Promise<WebhookWithSecret> {
    return (await this.#calls.value(OPERATIONS['webhooks.rotateSecret'], { path: { id }, options })) as WebhookWithSecret;
  }

  /**
   * Ping a webhook endpoint.
   *
   * Delivers one synthetic event at once (the endpoint's first type, email.queued for *; data.synthetic
   * is true) and reports the result. A failure of the endpoint is a result, not an error.
   *
   * Scope: `messages:send`.
   */
  async ping(id: string, options?: CallOptions): Promise<WebhookPing> {
    return (await this.#calls.value(OPERATIONS['webhooks.ping'], { path: { id }, options })) as WebhookPing;
  }

  /**
   * List deliveries.
   *
   * Newest first, for 30 days. A page with a filter reads up to 10,000 deliveries, so that it may be
   * short or empty before the last page: continue while next_cursor is not null.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  listDeliveries(id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Listing<WebhookDelivery, WebhookDeliveryPage> {
    return listing(this.#calls, OPERATIONS['webhooks.listDeliveries'], { path: { id }, query, options });
  }

  /**
   * Read a delivery with its attempts.
   *
   * The body that was sent and, for each attempt, the endpoint's answer or what went wrong.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async getDelivery(id: string, did: string, options?: CallOptions): Promise<WebhookDeliveryDetail> {
    return (await this.#calls.value(OPERATIONS['webhooks.getDelivery'], { path: { id, did }, options })) as WebhookDeliveryDetail;
  }

  /**
   * Deliver again.
   *
   * Queues the delivery again, whatever its outcome, with the same body and all its retries.
   *
   * Scope: `messages:send`.
   */
  async replayDelivery(id: string, did: string, options?: CallOptions): Promise<WebhookReplay> {
    return (await this.#calls.value(OPERATIONS['webhooks.replayDelivery'], { path: { id, did }, options })) as WebhookReplay;
  }

  /**
   * Count what a replay would deliver again.
   *
   * Failed deliveries made since the given time, and those that wait: what POST on this path would queue
   * if no more fail meanwhile.
   *
   * Scope: `messages:send` or `evidence:read`.
   */
  async countReplay(id: string, query?: CountWebhookReplayQuery, options?: CallOptions): Promise<WebhookReplayCount> {
    return (await this.#calls.value(OPERATIONS['webhooks.countReplay'], { path: { id }, query, options })) as WebhookReplayCount;
  }

  /**
   * Deliver all failed again.
   *
   * Queues every failed delivery made since the given time again; with `waiting` also those that wait for
   * their next attempt, as when the program is repaired.
   *
   * Scope: `messages:send`.
   */
  async replay(id: string, body: WebhookReplayRequest, options?: CallOptions): Promise<WebhookReplay> {
    return (await this.#calls.value(OPERATIONS['webhooks.replay'], { path: { id }, body: jsonBody(body), options })) as WebhookReplay;
  }
}

/** `acuse.events`. */
export class EventsOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * List the account's events.
   *
   * Events of all messages of the account, newest first, in the form in which webhooks carry it, and for
   * as long as the messages are kept. To follow it, ask with order=asc and a created_after some 30
   * seconds back, and leave out each data.event_id that you have seen: events that happen at the same
   * time are not committed in the order of their times. A page with a filter reads up to 10,000 events,
   * so that it may be short or empty before the last page: continue while next_cursor is not null. acuse
   * webhooks listen does all of this.
   *
   * Scope: `evidence:read`.
   */
  list(query?: ListEventsQuery, options?: CallOptions): Listing<AccountEvent, AccountEventPage> {
    return listing(this.#calls, OPERATIONS['events.list'], { query, options });
  }
}

/** `acuse.rates`. */
export class RatesOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Read rates.
   *
   * Operational metrics of the account over a window of days; not a claim of public deliverability.
   *
   * Scope: `evidence:read`.
   */
  async get(query?: GetRatesQuery, options?: CallOptions): Promise<Rates> {
    return (await this.#calls.value(OPERATIONS['rates.get'], { query, options })) as Rates;
  }
}

/** `acuse.account`. */
export class AccountOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Read the account.
   *
   * State and settings of the account, and its use of both quotas in this UTC month, with the price.
   *
   * Scope: `evidence:read`.
   */
  async get(options?: CallOptions): Promise<Account> {
    return (await this.#calls.value(OPERATIONS['account.get'], { options })) as Account;
  }
}

/** `acuse.apiKeys`. */
export class ApiKeysOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Create an API key.
   *
   * The key itself is shown only in this answer. A key cannot grant a scope that it lacks, and passes on
   * what narrows it.
   *
   * Scope: `api_keys:write`.
   */
  async create(body: NewApiKey, options?: CallOptions): Promise<ApiKeyWithSecret> {
    return (await this.#calls.value(OPERATIONS['apiKeys.create'], { body: jsonBody(body), options })) as ApiKeyWithSecret;
  }

  /**
   * List API keys.
   *
   * API keys that are not revoked, newest first.
   *
   * Scope: `api_keys:write`.
   */
  list(query?: ListApiKeysQuery, options?: CallOptions): Listing<ApiKey, ApiKeyPage> {
    return listing(this.#calls, OPERATIONS['apiKeys.list'], { query, options });
  }

  /**
   * Revoke an API key.
   *
   * Takes effect immediately and cannot be undone: the next request with the key answers 401. A key can
   * revoke itself.
   *
   * Scope: `api_keys:write`.
   */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.#calls.value(OPERATIONS['apiKeys.revoke'], { path: { id }, options });
  }
}

/** `acuse.log`. */
export class LogOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * The log's keys.
   *
   * The verifier key (C2SP signed-note) that checkpoints and promises are signed with. A log that signs
   * checkpoints with ML-DSA-44 as well has that key on a second line.
   *
   * No key needed.
   */
  async key(options?: CallOptions): Promise<string> {
    return (await this.#calls.value(OPERATIONS['log.key'], { options })) as string;
  }

  /**
   * A tile or an entry bundle.
   *
   * `/log/tile/<L>/<N>[.p/<W>]` and `/log/tile/entries/<N>[.p/<W>]` (C2SP tlog-tiles). An entry is a
   * canonical hash.
   *
   * No key needed.
   */
  async tile(path: string, options?: CallOptions): Promise<Uint8Array> {
    return (await this.#calls.value(OPERATIONS['log.tile'], { path: { path }, options })) as Uint8Array;
  }

  /**
   * The constancia over a checkpoint.
   *
   * The time-stamp over the three-line text of the checkpoint of this size, the note it stands in, and
   * what pins its authority. `previous_tree_size` leads to the batch before.
   *
   * No key needed.
   */
  async certificate(treeSize: string, options?: CallOptions): Promise<LogCertificate> {
    return (await this.#calls.value(OPERATIONS['log.certificate'], { path: { tree_size: treeSize }, options })) as LogCertificate;
  }
}

/** `acuse.health`. */
export class HealthOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * The process is alive.
   *
   * Answers as soon as the process serves HTTP, whatever the database does. For a supervisor that
   * restarts it.
   *
   * No key needed.
   */
  async live(options?: CallOptions): Promise<Health> {
    return (await this.#calls.value(OPERATIONS['health.live'], { options })) as Health;
  }

  /**
   * The process is ready.
   *
   * 200 once it has started, the database answers and it is not stopping; else 503. For a load balancer.
   *
   * No key needed.
   */
  async ready(options?: CallOptions): Promise<Health> {
    return (await this.#calls.value(OPERATIONS['health.ready'], { options })) as Health;
  }
}
