import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { App } from '../../platform/http/http.ts';
import type { DescribedRoute } from '../../platform/http/route-list.ts';
import type { Log } from '../../platform/logger.ts';
import { appendAccountEvent, auditSource } from './append.ts';

/**
 * Audit entries for routes behind several doors: everything by people, set-up changes by keys. Written after
 * the change: a crash in between loses the entry.
 */
export function recordChanges(app: App, deps: { db: Db; clock: Clock; log: Log }): void {
  app.addHook('onRoute', (route) => {
    const { method, config = {}, schema = {} } = route;
    const { scopes, door } = config;
    if (!isRecorded({ method: String(method), schema, scopes, door })) return;
    const action = snakeCase(route.schema!.operationId!);
    const withFacts = !HOLDS_CONTENT.has(route.schema!.tags?.[0] ?? '');
    route.onSend = [
      route.onSend ?? [],
      async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
        if (reply.statusCode < 300) await record(deps, request, { action, payload, withFacts });
        return payload;
      },
    ].flat() as NonNullable<RouteOptions['onSend']>;
  });
}

/** Messages have their own history. */
const RECORDED_OF_KEYS = new Set(['API keys', 'Domains', 'Senders', 'Templates', 'Webhooks']);
/** Bodies with message content, which an erasure could not reach here. */
const HOLDS_CONTENT = new Set(['Messages', 'Evidence', 'Templates']);
const NOT_CHANGES = new Set([
  ...['verifyDomain', 'verifyMessage'],
  ...['renderTemplate', 'renderTemplateDraft', 'previewTemplateDraft'],
  ...['previewMailboxMail', 'makeCaseFile'],
]);
/** In the transaction of the change. */
const RECORDS_ITSELF = new Set(['approveSend', 'refuseSend']);

type Route = Pick<DescribedRoute, 'method' | 'scopes' | 'door' | 'schema'>;

export function isRecorded({ method, scopes, door, schema }: Route): boolean {
  if (method === 'GET' || method === 'HEAD' || scopes === undefined) return false;
  const { operationId } = schema;
  if (operationId === undefined || NOT_CHANGES.has(operationId) || RECORDS_ITSELF.has(operationId))
    return false;
  const tag = schema.tags?.[0] ?? '';
  return door === 'portal' || (door === undefined && RECORDED_OF_KEYS.has(tag));
}

function snakeCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Change {
  readonly action: string;
  readonly payload: unknown;
  readonly withFacts: boolean;
}

async function record(
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  request: FastifyRequest,
  { action, payload, withFacts }: Change,
): Promise<void> {
  const { principal, params, body } = request;
  const { kind } = principal.actor;
  if (kind === 'share') return;
  const target = (params as { id?: string }).id ?? idIn(payload);
  const entry = { action, target, after: withFacts ? factsOf(body) : null };
  const source = auditSource(request, { ...principal.actor, kind });
  try {
    await db.asTenant(principal.tenantId, (tx) =>
      appendAccountEvent(tx, principal.tenantId, source, entry, clock.now()),
    );
  } catch (error) {
    // The change is done: the caller must not repeat it.
    log.error({ err: error, action, target, actor: principal.actor.id }, 'a change could not be recorded');
  }
}

const PAYLOAD_MAX_CHARS = 100_000;

function idIn(payload: unknown): string | null {
  if (typeof payload !== 'string' || payload.length > PAYLOAD_MAX_CHARS) return null;
  const id = (JSON.parse(payload) as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? id : null;
}

const FACTS_MAX = 20;
const FACT_MAX_CHARS = 200;
const LIST_MAX = 50;

function factsOf(body: unknown): object | null {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return null;
  const facts = Object.entries(body).filter(
    ([name, value]) => !/secret|password/i.test(name) && isShort(value),
  );
  return facts.length === 0 ? null : Object.fromEntries(facts.slice(0, FACTS_MAX));
}

function isShort(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length <= LIST_MAX && value.every((each) => typeof each === 'string' && isShort(each));
  if (typeof value === 'string') return value.length <= FACT_MAX_CHARS;
  return value === null || typeof value !== 'object';
}
