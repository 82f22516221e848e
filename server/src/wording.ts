/**
 * A text for callers of the API (`message`), and the same for people who type commands: each names the next
 * request or command. Pure.
 */
export interface Wording {
  readonly message: string;
  readonly command: string;
}

type Part = string | number | Wording;

/** A text whose parts may be worded in two ways: `inBoth\`register it with ${STEPS.createDomain}\``. */
export function inBoth(texts: TemplateStringsArray, ...parts: readonly Part[]): Wording {
  const worded = (way: keyof Wording) =>
    texts.map((text, at) => `${text}${wordOf(parts[at] ?? '', way)}`).join('');
  return { message: worded('message'), command: worded('command') };
}

function wordOf(part: Part, way: keyof Wording): string | number {
  return typeof part === 'object' ? part[way] : part;
}

/** Next steps for callers. */
export const STEPS = {
  createDomain: { message: 'POST /v1/domains', command: 'acuse domains create' },
  listDomains: { message: 'GET /v1/domains', command: 'acuse domains list' },
  verifyDomain: (id: string) => ({
    message: `POST /v1/domains/${id}/verify`,
    command: `acuse domains verify ${id}`,
  }),
  createSender: { message: 'POST /v1/senders', command: 'acuse senders add' },
  findTemplate: { message: 'list them with GET /v1/templates', command: 'check --template' },
  removeSuppression: (address: string) => ({
    message: 'DELETE /v1/suppressions/{id}',
    command: `acuse suppressions remove ${address}`,
  }),
  cancelMessage: (id: string) => ({
    message: `POST /v1/messages/${id}/cancel`,
    command: `acuse queue cancel ${id}`,
  }),
} as const satisfies Record<string, Wording | ((of: string) => Wording)>;

/** Inputs of callers. */
export const TERMS = {
  idempotencyKey: { message: 'Idempotency-Key', command: '--idempotency-key' },
  retryLater: { message: 'retry after the seconds in Retry-After', command: 'retry shortly' },
  limit: { message: "this endpoint's limit", command: 'the limit' },
  requires: { message: 'This endpoint requires', command: 'This command requires' },
  skipSuppressed: { message: 'set skip_suppressed to true', command: 'give --skip-suppressed' },
} as const satisfies Record<string, Wording>;
