/** Refusals: what is wrong, and the tool or person to turn to. Never with text that others wrote. */
import { AcuseError, ApiError, ConnectionError, ProtocolError } from '@acuse/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { fence } from './render/untrusted.ts';

/** Something that a wall or the API does not allow. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  /** The tool or person to turn to. */
  readonly next: string;
  /** The API's message, which may quote its input. */
  readonly said: string | undefined;

  constructor(code: string, message: string, next: string, said?: string) {
    super(message);
    this.code = code;
    this.next = next;
    this.said = said;
  }

  /** `resource`: what the call was about. */
  toResult(resource?: string): CallToolResult {
    const { code, message, next, said } = this;
    const error = {
      code,
      ...(resource !== undefined && { resource }),
      message,
      next,
      ...(said !== undefined && { api_message: fence(said) }),
    };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }, null, 1) }] };
  }
}

const CODE = /^[a-z_]{1,64}$/;
const OPERATOR = 'Report this to the person who set up this server; do not look for another way.';
const STOP = 'Stop and report this to the person you work for. Do not call this tool again for it.';
const REPEAT =
  'Call the same tool with the same arguments again, at most twice; for a send that is a replay, never a second message.';

/** Fixes for codes of the API whose own fix is not for agents. */
const NEXT: Readonly<Record<string, string>> = {
  unauthorized: `The API key is wrong or revoked. ${STOP} No tool can repair it.`,
  insufficient_scope: `The API key lacks a scope. ${OPERATOR}`,
  approval_required: `A person approves it in the portal. ${STOP}`,
  approval_refused:
    'The person refused this message. Ask them what to change; do not send it in another way.',
  tenant_suspended: STOP,
  tenant_deactivated: STOP,
  quota_exceeded: `The quota of this month is used up. ${STOP}`,
  rate_limited: 'Wait as long as the message says, then call once more.',
  recipient_suppressed: `${STOP} Only a person can lift a suppression; check_recipient shows its reason.`,
  domain_not_verified: 'Call get_domain_setup: it names the records that a person must publish.',
  from_not_approved: `The sender is not approved for this account. ${OPERATOR}`,
  template_not_found: 'Call list_templates.',
  template_render_error: 'Correct the variables, then call render_template and preview_message.',
  not_certified: 'The message was sent without certification: say that it has no proof.',
  missing_proof_data:
    'Call get_message: of a certified message try again in a few seconds; a plain one has no proof.',
  not_found: 'Check the id with list_messages.',
  invalid_address: 'Correct the address; ask the person you work for if you are not sure.',
  invalid_body: 'Correct the arguments, then preview again.',
  invalid_parameter: 'Correct the arguments.',
  payload_too_large: 'Send less: fewer or smaller attachments.',
  idempotency_key_reused: 'Call preview_message for the message that you want to send.',
  accepted_before: `The message was accepted long ago. ${STOP}`,
  internal_error: REPEAT,
  unavailable: REPEAT,
};

const APPROVALS = /\/portal\/approvals(?:\/[0-9a-f-]{36})?$/;
const ADDRESS_MAX_CHARS = 500;

/** The portal's page where a person decides, at the end of what the API says of a send that waits. */
export function portalAddressIn(said: string): string | null {
  const last = said.slice(said.lastIndexOf(' ') + 1);
  if (last.length > ADDRESS_MAX_CHARS || !URL.canParse(last)) return null;
  const { protocol, pathname, href } = new URL(last);
  return /^https?:$/.test(protocol) && APPROVALS.test(pathname) && href === last ? href : null;
}

function nextOf({ code, message }: ApiError): string {
  const address = code === 'approval_required' ? portalAddressIn(message) : null;
  if (address === null) return Object.hasOwn(NEXT, code) ? NEXT[code]! : STOP;
  return `Give the person you work for this address, where they see and approve it: ${address} Then call send_message again with the same arguments and preview_token, within 24 hours. Do not preview the message again instead.`;
}

/** Whatever a tool threw, as a refusal. Faults of this server tell nothing but that they happened. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ApiError) {
    const fix = error.fix ?? 'The API refused the request.';
    const wait = error.retryAfter === undefined ? '' : ` Wait ${Math.ceil(error.retryAfter)} s.`;
    return new Refusal(
      CODE.test(error.code) ? error.code : `http_${error.status}`,
      `${fix}${wait}`,
      nextOf(error),
      error.message,
    );
  }
  if (error instanceof ConnectionError)
    return new Refusal(
      error.outcomeUnknown ? 'outcome_unknown' : 'unreachable',
      error.outcomeUnknown
        ? 'The connection was lost before the answer came: it is not known whether the request was done.'
        : 'The service cannot be reached.',
      REPEAT,
    );
  if (error instanceof ProtocolError)
    return new Refusal('unexpected_answer', 'The service answered what its contract does not say.', REPEAT);
  if (error instanceof AcuseError)
    return new Refusal('client_error', 'The request could not be made with this configuration.', OPERATOR);
  return new Refusal('internal_error', 'This server failed; its log says why.', STOP);
}

/** A fault for the log: its kind and place, never its text, which may quote a message. */
export function faultOf(error: unknown): string {
  const place =
    error instanceof Error ? /\/[\w-]{1,40}\.[jt]s:\d{1,6}/.exec(error.stack ?? '')?.[0].slice(1) : undefined;
  return `${error instanceof Error ? error.name : typeof error} at ${place ?? 'an unknown place'}`;
}
