import { toHex } from '@acuse/evidence/bytes';
import { SALT_BYTES } from '@acuse/evidence/commitment';
import { jcsBytes } from '@acuse/evidence/jcs';
import type { DkimFact } from '@acuse/evidence/manifest';
import { bodyText, subjectText } from '@acuse/mail/header-text';
import { hideToken } from '@acuse/mail/hide-token';
import { compareKey } from '@acuse/mail/mailbox';
import { maySendAs } from '../accounts/api-keys/narrowing.ts';
import type { ReadSenderDomain } from '../accounts/domains/lookup.ts';
import type { SenderDomain } from '../accounts/domains/store.ts';
import type { IsApprovedSender } from '../accounts/senders/approved.ts';
import type { RenderedTemplate, TemplateChoice, TemplatePart } from '../accounts/templates/templates.ts';
import type { Tenant } from '../accounts/tenants/store.ts';
import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { NOT_NARROWED, type Principal } from '../platform/http/http.ts';
import type { RequestTrace } from '../platform/http/request-trace.ts';
import { newId } from '../platform/ids.ts';
import { randomSecret } from '../platform/random.ts';
import { sha256 } from '../platform/sha256.ts';
import type { Threads } from '../platform/threads/threads.ts';
import { inBoth, STEPS } from '../wording.ts';
import { type Asked, askTokenSha256, newAskToken, untilOf } from './acknowledgement.ts';
import { PLACES } from './acknowledgement-ways.ts';
import { feedbackSender } from './feedback-sender.ts';
import { makeMessageAnywhere } from './large-bodies.ts';
import type { AskInput } from './make-message.ts';
import type { PreparedMessage, SendApproval } from './prepared.ts';
import { mailboxText } from './recipients.ts';
import type { ReplyAddressOf } from './reverse-path.ts';
import { SEND_AT_AHEAD_MAX_MS, scheduleOf } from './send-at.ts';
import { type GivenContent, type Submission, submissionDigest, wholeContent } from './submission.ts';

/** Remaining bytes for copies; a batch shares them. */
export interface CopyRoom {
  bytes: number;
}

type Awaitable<T> = T | Promise<T>;

export interface PrepareDeps {
  clock: Clock;
  threads: Threads;
  logOrigin: string;
  /** Throws unavailable while the log is stopped. */
  requireLog(): void;
  tenant(tenantId: string): Awaitable<Tenant | null>;
  senderDomain: ReadSenderDomain;
  isApprovedSender: IsApprovedSender;
  /** `host`: the domain's own bounce host, or null; `sentBy`: the latest first attempt. */
  reversePathOf(messageId: string, host: string | null, sentBy: Date): string;
  /** Address at which the recipient may acknowledge by mail. */
  replyAddressOf: ReplyAddressOf;
  /** Where the recipient of a message acknowledges it; null or absent: this installation cannot ask. */
  acknowledgementUrl?(token: string): string | null;
  renderTemplate(
    tenantId: string,
    choice: TemplateChoice,
    variables: Readonly<Record<string, unknown>>,
    leftOut: readonly TemplatePart[],
  ): Promise<RenderedTemplate>;
}

/** Time until an undelivered message expires (ms). */
export const DELIVERY_LIFETIME_MS = 48 * 60 * 60 * 1_000;

export interface SendingKey {
  readonly apiKeyId: string;
  readonly senders: readonly string[] | null;
  /** Its sends are only for a person to approve. */
  readonly needsApproval: boolean;
}

/** Null: somebody with a session sends. */
export function sendingKey({ actor, narrowing }: Pick<Principal, 'actor' | 'narrowing'>): SendingKey | null {
  if (actor.kind !== 'key') return null;
  const { senders, needsApproval } = narrowing ?? NOT_NARROWED;
  return { apiKeyId: actor.id, senders, needsApproval };
}

export interface SendRequest {
  readonly tenantId: string;
  readonly idempotencyKey: string;
  readonly submission: Submission;
  readonly submissionBytes: Uint8Array;
  readonly digest?: Uint8Array;
  /** Cached from an earlier copy. */
  readonly template?: PreparedMessage['template'];
  /** The API key that sends, and the From addresses that it is narrowed to. */
  readonly key?: SendingKey | null;
  readonly copyRoom?: CopyRoom;
  readonly trace?: RequestTrace | null;
  /** The person's approval that this send acts on. */
  readonly approval?: SendApproval;
}

/**
 * Everything before the transaction: template, domain, sender, composing, manifest. Throws in this order:
 * send_at_out_of_range, template_not_found, template_render_error, domain_not_verified, from_not_approved,
 * unavailable, payload_too_large.
 */
export async function prepareMessage(deps: PrepareDeps, request: SendRequest): Promise<PreparedMessage> {
  const { tenantId, submission, submissionBytes, approval } = request;
  const sendAt = submission.sendAt === null ? null : scheduled(deps, submission.sendAt);
  const submissionDigestBytes = request.digest ?? submissionDigest(submission);
  const { content, template } = await contentOf(deps, tenantId, submission);
  const tenant = await deps.tenant(tenantId);
  if (tenant === null) throw apiError('unauthorized');
  const domain = await requireDomain(deps, tenant, submission);
  if (!(await deps.isApprovedSender(tenantId, compareKey(submission.headerFrom)))) {
    const { address } = submission.headerFrom;
    throw apiError(
      'from_not_approved',
      inBoth`${address} is not an approved, active sender: create it (or *@${submission.headerFrom.domain}) with ${STEPS.createSender}.`,
    );
  }
  if (!maySendAs(request.key?.senders ?? null, compareKey(submission.headerFrom)))
    throw apiError(
      'from_not_approved',
      `The API key may not send as ${submission.headerFrom.address}: its senders are ${request.key!.senders!.join(', ')}.`,
    );
  const createdAt = deps.clock.now();
  const messageId = newId(createdAt.getTime());
  const certified = submission.certified ?? tenant.defaultCertified;
  if (certified) deps.requireLog();
  // Covers moves of the schedule: bounces are accepted as long after.
  const lastSendAt = sendAt === null ? createdAt : new Date(createdAt.getTime() + SEND_AT_AHEAD_MAX_MS);
  const reversePath = deps.reversePathOf(messageId, domain.returnPathHost, lastSendAt);
  const dkim = dkimFacts(domain, submission.headerFrom.domain);
  const secret = certified ? randomSecret(SALT_BYTES) : null;
  // The token authorises reports: never shown or proven.
  const evidence =
    secret === null ? null : { tenantId, submissionBytes, mailFrom: hideToken(reversePath), dkim, secret };
  const host = domain.returnPathHost;
  const usedTemplate = template ?? request.template ?? null;
  const feedback = { sender: feedbackSender(tenant), templateId: usedTemplate?.templateId ?? null, host };
  const asking = askOf(deps, submission, { certified, messageId, from: sendAt ?? createdAt, host });
  const input = {
    submission,
    content,
    messageId,
    createdAt,
    sendAt,
    logOrigin: deps.logOrigin,
    evidence,
    feedback,
    ask: asking?.ask,
  };
  if (approval !== undefined)
    requireShown(approval, { digest: submissionDigestBytes, template: usedTemplate, certified });
  const { raw, draft } = await makeMessageAnywhere(deps.threads, tenantId, input);
  return {
    tenantId,
    messageId,
    idempotencyKey: request.idempotencyKey,
    submissionDigest: submissionDigestBytes,
    headerFrom: mailboxText(submission.headerFrom),
    recipient: mailboxText(submission.recipient),
    senderAddress: submission.headerFrom.address,
    recipientAddress: submission.recipient.address,
    reversePath,
    suppressionKey: compareKey(submission.recipient),
    destination: submission.recipient.domain,
    subject: content.subject,
    certified,
    template: usedTemplate,
    tags: submission.tags,
    metadata: submission.metadata,
    raw,
    submission: submissionBytes,
    createdAt,
    sendAt,
    expiresAt: new Date((sendAt ?? createdAt).getTime() + DELIVERY_LIFETIME_MS),
    sourcePool: tenant.sourcePool,
    apiKeyId: request.key?.apiKeyId ?? null,
    evidence: secret === null || draft === null ? null : { draft, openings: secret },
    copy: null,
    asked: asking?.asked,
    approval,
  };
}

interface ShownFacts {
  readonly digest: Uint8Array;
  readonly template: PreparedMessage['template'];
  readonly certified: boolean;
}

/** Names the state that a person saw: the request, and the account's settings that change it. */
export function shownOf({ digest, template, certified }: ShownFacts): string {
  const facts = [toHex(digest), template?.templateId ?? null, template?.version ?? null, certified];
  return toHex(sha256(jcsBytes(facts)));
}

/** Throws conflict. */
function requireShown({ shown }: SendApproval, facts: ShownFacts): void {
  if (shown === shownOf(facts)) return;
  throw apiError('conflict', 'The message is not the one that was shown any more: look at it again.');
}

interface OfMessage {
  readonly certified: boolean;
  readonly messageId: string;
  readonly from: Date;
  readonly host: string | null;
}

/** Undefined: nobody asks. Throws invalid_body. */
function askOf(
  deps: PrepareDeps,
  { asking }: Submission,
  { certified, from, messageId, host }: OfMessage,
): { ask: AskInput; asked: Asked } | undefined {
  if (asking === undefined) return undefined;
  if (!certified)
    throw apiError(
      'invalid_body',
      asking.isWhole
        ? 'X-Acuse-Acknowledgement is for certified messages, and the default of the account (default_certified) decides whether a whole message is: change it, send JSON with "certified": true, or leave the header out.'
        : 'acknowledgement is for certified messages: send "certified": true, or leave it out.',
    );
  const { language } = asking;
  const token = newAskToken();
  const url = deps.acknowledgementUrl?.(token) ?? null;
  if (url === null)
    throw apiError(
      'invalid_body',
      'This installation cannot ask for an acknowledgement, because it sends no mail of its own: leave acknowledgement out, or ask the operator to set ACUSE_SYSTEM_SENDER.',
    );
  const until = untilOf(asking, from);
  const address = deps.replyAddressOf(messageId, host);
  return {
    ask: { url, address, language, until },
    asked: { tokenSha256: askTokenSha256(token)!, language, until },
  };
}

function scheduled({ clock }: PrepareDeps, sendAt: Date): Date | null {
  const now = clock.now();
  return scheduleOf(sendAt, now, now);
}

async function contentOf(
  deps: PrepareDeps,
  tenantId: string,
  submission: Submission,
): Promise<{ content: GivenContent; template: PreparedMessage['template'] }> {
  const { content } = submission;
  if (content.kind === 'given') return { content, template: null };
  // Large content is in the thread's memory; its facts are here.
  const { text, html } = submission.packed?.facts ?? content.own;
  const own = { subject: content.own.subject, text, html };
  const leftOut = (['subject', 'text', 'html'] as const).filter((part) => own[part] !== null);
  const variables = submission.asking === undefined ? content.variables : { ...content.variables, ...PLACES };
  const rendered = await deps.renderTemplate(tenantId, content.choice, variables, leftOut);
  const ownBody = text !== null || html !== null;
  return {
    content: wholeContent(content, renderedContent(rendered, ownBody)),
    template: { templateId: rendered.templateId, version: rendered.version },
  };
}

function renderedContent(rendered: RenderedTemplate, ownBody: boolean): GivenContent {
  const { subject, text, html } = rendered;
  if ((text ?? '') === '' && (html ?? '') === '' && !ownBody)
    throw apiError(
      'template_render_error',
      'The template rendered empty text and html: at least one must have content.',
    );
  try {
    return {
      kind: 'given',
      subject: subjectText(subject),
      text: (text ?? '') === '' ? null : bodyText(text!, 'text'),
      html: (html ?? '') === '' ? null : bodyText(html!, 'html'),
    };
  } catch (error) {
    throw apiError(
      'template_render_error',
      error instanceof Error ? `The rendered ${error.message}.` : undefined,
      { cause: error },
    );
  }
}

async function requireDomain(
  deps: PrepareDeps,
  { tenantId, requireReadyDomains }: Tenant,
  submission: Submission,
): Promise<SenderDomain> {
  const { domain: name } = submission.headerFrom;
  const domain = await deps.senderDomain(tenantId, name);
  if (domain === null) {
    throw apiError(
      'domain_not_verified',
      inBoth`${name} is not a domain of this account: register it with ${STEPS.createDomain} and publish its DNS records.`,
    );
  }
  if (domain.status !== 'verified') {
    throw apiError(
      'domain_not_verified',
      inBoth`${name} is ${domain.status}: publish its DNS records and verify it with ${STEPS.verifyDomain(domain.domainId)}.`,
    );
  }
  if (requireReadyDomains && domain.readiness !== 'ready')
    throw apiError(
      'domain_not_verified',
      inBoth`${name} is verified but not ready, and this account sends only from domains that are: publish ${domain.failing.join(' and ')}, then ${STEPS.verifyDomain(domain.domainId)}.`,
    );
  return domain;
}

/** Cached while the domain is, to serialise keys once. */
const factsOfDomain = new WeakMap<SenderDomain, readonly DkimFact[]>();

function dkimFacts(domain: SenderDomain, name: string): readonly DkimFact[] {
  const known = factsOfDomain.get(domain);
  if (known !== undefined) return known;
  const facts = domain.dkimKeys.map(({ algorithm, publicKey, selector }) => ({
    algorithm,
    domain: name,
    public_key: publicKey,
    selector,
  }));
  factsOfDomain.set(domain, facts);
  return facts;
}
