import type { Schema } from './example.ts';

const COUNTERS = {
  bounced: 'Messages that bounced.',
  complained: 'Messages that recipients called spam.',
  deferred: 'Messages that were deferred at least once.',
  ingested: 'Messages that were accepted.',
  sealed: 'Messages that were sealed.',
  sent: 'Messages that recipients’ servers took.',
};
const SEND = {
  acknowledgement: 'Asks the recipient to acknowledge receipt.',
  attachments: 'Files and inline images.',
  cc: 'Shown in Cc: an address or a list.',
  reply_to: 'Where replies go: an address or a list.',
};
const DELIVERY = {
  last_error: 'Failure of the last attempt.',
  last_status_code: 'Status of the last answer.',
  type: 'Type of the event.',
};
const MAIL = {
  from: 'The From address.',
  size_bytes: 'Size of the message.',
  subject: 'The subject.',
  to: 'The recipient of the envelope.',
};
const RENDERED = { html: 'The HTML part.', subject: 'The subject.', text: 'The text part.' };
const TLS = { cipher: 'Cipher suite.', version: 'Version of TLS.' };

/**
 * Descriptions of properties that the route schema leaves out, by schema. A description in the route's own
 * schema wins; a test finds entries that name nothing.
 */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Account: {
    name: 'Name of the account, as its operator wrote it.',
    status: 'Only an active account may send.',
    settings: 'Settings that the operator made for the account.',
    usage: 'Use of the account this UTC month, and its quotas.',
  },
  AccountUsage: {
    certified: 'Certified messages.',
    plain: 'Plain messages.',
    constancias: 'Time-stamps, and the account’s share of their cost.',
  },
  AddedPasskey: { passkey: 'The passkey as it is listed from now on.' },
  ApiKey: { name: 'Name given to the key.', scopes: 'Scopes of the key.' },
  ApiKeyMaker: { kind: 'Kind of the creator.', name: 'Name of the person or of the key.' },
  ApiKeyWithSecret: { name: 'Name given to the key.', scopes: 'Scopes of the key.' },
  Attempt: {
    bounce_type: 'How it bounced; null unless this attempt ended so.',
    outcome: 'How the attempt ended.',
  },
  AuditActor: {
    kind: 'Kind of the actor: a person, an API key, an operator, or Acuse itself.',
    name: 'Their name.',
  },
  AuditEntry: {
    actor: 'Person, key or operator that acted.',
    client_address: 'The address that the request came from.',
    request_id: 'Request-Id of the request.',
  },
  Batch: { messages: 'The messages, each with its own idempotency key.' },
  BatchItem: SEND,
  BatchItemResult: {
    message: 'The message, if it was created or replayed.',
    status: 'The outcome of this item.',
  },
  BatchResult: {
    created: 'Number of items that made new messages.',
    failed: 'Number of items that were refused.',
    replayed: 'Number of items that had been accepted before.',
  },
  Bounce: { type: 'How it bounced.' },
  BounceReasonShare: { messages: 'Messages that bounced for this reason.' },
  CallingKey: { scopes: 'Scopes of the key.' },
  DeliveryOutcome: { leaf_index: 'Place of the outcome in the log.' },
  DmarcSource: {
    dkim_aligned: 'Messages whose DKIM signature is of the From domain.',
    messages: 'Messages from this address.',
    quarantined: 'Messages that receivers put aside as suspicious.',
    rejected: 'Messages that receivers refused.',
    source_ip: 'The address that sent them.',
    spf_aligned: 'Messages whose SPF domain is that of From.',
  },
  DmarcSummary: {
    advice: 'Advice of the reports about a stricter policy.',
    aligned: 'Messages that pass DMARC.',
    messages: 'Messages that the reports cover.',
    reports: 'Number of reports.',
  },
  Domain: { records: 'The DNS records to publish, and what was found.' },
  DomainRecord: {
    name: 'Full name of the record.',
    purpose: 'Purpose of the record.',
    status: 'Result of the last look-up.',
  },
  DomainReports: {
    dmarc: 'DMARC aggregate reports, added up.',
    domain: 'The domain that they are about.',
    tls: 'TLS reports, added up.',
  },
  DomainRequirements: { domain: 'The sending domain.' },
  EmailBouncedData: {
    bounce: 'How, why, and who said so.',
    bounce_type: 'How it bounced.',
  },
  EmailComplainedData: { feedback_type: 'The kind of complaint, such as abuse (RFC 5965 §7.3).' },
  EmailDeferredData: { attempt: 'Number of the attempt, from 1.', deferral: 'Why, and who said so.' },
  EmailQueuedData: {
    certified: 'True: the message is certified.',
    from: 'The From address.',
    subject: 'The subject.',
    to: 'The recipient.',
  },
  EmailSentData: { tls: 'How the connection was encrypted; null if it was not.' },
  Error: { error: 'The fault, and how to repair it.' },
  Evidence: { message_certificate: 'A time-stamp over this message alone, if one was asked for.' },
  Found: { kind: 'The findings.', label: 'The text to show.' },
  HeaderField: { name: 'Name of the field, as it was written.' },
  Health: { status: 'ok, or why it is not.' },
  LeakedKey: { name: 'Name given to the key.' },
  LeakedWebhook: { url: 'Where its events went.' },
  LogCertificate: {
    previous_tree_size: 'Leaves before this batch.',
    tree_size: 'Leaves that the checkpoint covers.',
  },
  MailAttachment: {
    content_type: 'Media type.',
    filename: 'File name, if it has one.',
    size_bytes: 'Size, decoded.',
  },
  MailDetail: {
    ...MAIL,
    headers: 'The header fields, in order.',
    html: 'The HTML part, if there is one.',
    text: 'The text part, if there is one.',
  },
  MailHeader: { name: 'Name of the field.', value: 'Its value, unfolded.' },
  MailSummary: MAIL,
  MailTls: TLS,
  Message: {
    metadata: 'Your own key-value pairs.',
    status: 'Where the message is on its way.',
    tags: 'Your own labels.',
  },
  MessagePart: { disposition: 'inline or attachment; null if the part does not say.' },
  NewApiKey: { name: 'Name to recognize the key by.', scopes: 'Scopes of the key.' },
  NewMember: { email: 'Address that the invitation goes to.' },
  NewShare: { disclose: 'The parts that the link shows.' },
  NewSuppression: { address: 'The address that gets no more mail.', reason: 'Why, in your words.' },
  OnboardingStep: { done: 'True: it is done.' },
  OutcomesCount: { count: 'Outcomes that the log counts of the message.' },
  Passkey: { name: 'Name given to the passkey.' },
  PasskeyChange: { name: 'The new name.' },
  PasswordReset: { email: 'Address of the person; the answer is the same for an unknown one.' },
  PortalSession: { accounts: 'The accounts that the person belongs to.', user: 'The person.' },
  ProofBundle: { entries: 'The files of the bundle.', type: 'The format of this document.' },
  ProofBundleEntry: { name: 'Path of the file in the bundle.' },
  QuotaUsage: { quota: 'The quota; null if there is none.', remaining: 'Messages left of it.' },
  Rates: { days: 'Each day of the period.', rates: 'The rates over the period.' },
  RatesCounters: COUNTERS,
  RatesDay: COUNTERS,
  RemoteAddress: { url: 'The address that would be loaded.' },
  RenderedDraft: RENDERED,
  RenderedTemplate: { ...RENDERED, version: 'The version that was rendered.' },
  ReportClaims: {
    final_recipient: 'Final-Recipient of the report.',
    original_recipient: 'Original-Recipient of the report.',
    remote_mta: 'Remote-MTA: the server that refused.',
    reply: 'The reply that the report quotes.',
  },
  ReportPeer: { ip: 'Address that the report came from.' },
  ReportedByMail: { dkim: 'DKIM of the report itself.', spf: 'SPF of the report itself.' },
  Send: SEND,
  SenderRequirement: { rule: 'The rule that large receivers set.' },
  SenderChange: { active: 'false: the address may no longer send.' },
  Session: {
    error: 'Failure outside the conversation, such as a time-out.',
    port: 'Port of the server.',
    reply: 'The server’s last reply.',
    transcript: 'The lines of both sides, in order.',
  },
  SessionAccount: {
    name: 'Name of the account.',
    sandbox: 'True: its mail stays in the test mailbox.',
    scopes: "The person's rights in it.",
    status: 'Only an active account may send.',
  },
  SessionError: { code: 'The operating system’s or TLS’s code.', message: 'The same in words.' },
  SessionTls: TLS,
  Share: { disclose: 'The parts that the link shows.', note: 'A note for the people of the account.' },
  ShareCreator: { name: 'Creator of the link.' },
  ShareWithUrl: { disclose: 'The parts that the link shows.', note: 'A note for the people of the account.' },
  SignIn: { email: 'Address of the person.' },
  SignInState: { state: 'Missing steps, if any.' },
  Suppression: { reason: 'Why, in the words of whoever added it.', source: 'Origin of the entry.' },
  SuppressionImportFailure: { error: 'Why the line was refused.' },
  Template: { name: 'Name of the template, unique in the account.' },
  TemplatePreview: { subject: 'The subject.', text: 'The text part.' },
  TemplateVersion: { version: 'Number of the version, from 1.' },
  TlsFailure: { sessions: 'Connections that failed so.' },
  TlsParameters: TLS,
  TlsSummary: {
    failed: 'Connections that failed.',
    reports: 'Number of reports.',
    sessions: 'Connections that the reports cover.',
  },
  User: {
    email: 'Address that the person signs in with.',
    has_password: 'True: there is a password.',
    name: 'Name of the person.',
    time_zone: 'Zone in which times are shown.',
  },
  UserChange: { name: 'Name of the person.' },
  UserSession: {
    client_address: 'The address that it was last used from.',
    device: 'Browser and system, as far as they say.',
  },
  VerificationCheck: { name: 'Name of the check.', ok: 'True: it holds; null: it was not made.' },
  Waiting: { reasons: 'Why messages wait.' },
  Webhook: { enabled: 'True: events are delivered.' },
  WebhookAttempt: {
    attempt: 'Number of the attempt, from 1.',
    duration_ms: 'How long the endpoint took.',
    error: 'Failure, if there was no answer.',
    status_code: 'Status of the answer.',
  },
  WebhookDelivery: DELIVERY,
  WebhookDeliveryDetail: DELIVERY,
  WebhookPing: { duration_ms: 'How long the endpoint took.' },
  WebhookPingRequest: { body: 'The body that was sent.', headers: 'The header fields that were sent.' },
  WebhookWithSecret: { enabled: 'True: events are delivered.' },
};

/** People, under their three names. */
const PERSON = {
  email: 'Address of the person.',
  has_second_factor: 'True: a second factor is set up.',
  name: 'Name of the person.',
  state: 'True: the person has accepted the invitation.',
};
const WEBAUTHN = 'As WebAuthn has it (Web Authentication Level 3).';
/** The browser's own objects. */
const OF_WEBAUTHN =
  /^(?:Passkey(?:Algorithm|Assertion|Attestation|CreationOptions|Demands|Descriptor|Owner|Registration|RequestOptions|Signature)|RelyingParty)$/;

/** Adds them to the named schemas of a document. */
export function describeProperties(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
      if (properties === undefined) return [name, schema];
      const said = Object.entries(properties).map(([property, its]) => {
        if (its['description'] !== undefined) return [property, its];
        const description = textOf(name, property, schemas, its);
        return [property, description === undefined ? its : { ...its, description }];
      });
      return [name, { ...schema, properties: Object.fromEntries(said) }];
    }),
  );
}

function textOf(
  schema: string,
  property: string,
  schemas: Readonly<Record<string, Schema>>,
  its: Schema,
): string | undefined {
  const own = DESCRIPTIONS[schema]?.[property];
  if (own !== undefined) return own;
  const target = typeof its['$ref'] === 'string' ? schemas[its['$ref'].split('/').at(-1)!] : undefined;
  if (target?.['description'] !== undefined) return undefined;
  if (property === 'data') return schema.startsWith('Email') ? 'The event.' : 'The entries, in order.';
  if (property === 'type' && /^(?:Email|Acknowledgement)[A-Z]/.test(schema)) return 'The type of the event.';
  if (OF_WEBAUTHN.test(schema)) return WEBAUTHN;
  if (property === 'passkey') return 'The browser’s answer to the passkey’s challenge.';
  if (/^(?:Invited)?Member$/.test(schema)) return PERSON[property as keyof typeof PERSON];
  return undefined;
}
