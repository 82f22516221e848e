import { describeApi } from '../../../src/app/describe-api.ts';
import { newId } from '../../../src/platform/ids.ts';
import { insertMail } from '../../../src/sandbox/store.ts';
import { PORTAL } from '../../../src/surfaces/reference/audiences.ts';
import type { OpenApiDocument, Operation } from '../../../src/surfaces/reference/openapi.ts';
import { type Person, signedIn } from '../../support/people.ts';
import { sealMessage } from '../../support/sealed.ts';
import { newKey, type TestService } from '../../support/service.ts';

/** An operation by where it is behind its door: `GET /messages/{id}`. */
export interface Routed {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function routed(document: OpenApiDocument, prefix: string): Routed[] {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const short = path.slice(prefix.length);
        return {
          name: `${method.toUpperCase()} ${short}`,
          method: method.toUpperCase(),
          path: short,
          operation,
        };
      }),
    );
}

export const PORTAL_ROUTES = routed(describeApi(PORTAL), '/v1/portal');
/** Of the machine API, with a key. */
export const MACHINE_ROUTES = routed(describeApi(), '/v1').filter(
  ({ operation }) => operation.security.length > 0,
);

/** Ids of what an account has, by the first part of the path; `sid` and the like by `part/parameter`. */
export type Owned = Readonly<Record<string, string>>;

/** One of everything that a path may name. */
export async function ownEverything(service: TestService, owner: Person): Promise<Owned> {
  const make = async (path: string, body: object) => (await owner.call('POST', path, body)).body.id as string;
  const webhooks = await make('/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] });
  const messages = (await sealMessage(service)).id;
  const guest = await signedIn(service, service.account.tenantId, 'viewer');
  const share = { message: true, parts: [], delivery: false };
  return {
    webhooks,
    messages,
    members: guest.userId,
    user: (await guest.call('GET', '/user/sessions')).body.data[0].id,
    templates: await make('/templates', { name: 'owned', subject: 'S', text: 'T' }),
    domains: await make('/domains', { name: 'owned.example.com' }),
    senders: await make('/senders', { address: 'owned@owned.example.com' }),
    suppressions: await make('/suppressions', { address: 'owned@example.com' }),
    'api-keys': await make('/api-keys', { name: 'owned', scopes: ['evidence:read'] }),
    'messages/sid': await make(`/messages/${messages}/shares`, {
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      disclose: share,
    }),
    'messages/index': '0',
    approvals: await askToSend(service, owner),
    mailbox: await arriveInMailbox(service.db),
    'mailbox/index': '0',
    'webhooks/did': (await owner.call('GET', `/webhooks/${webhooks}/deliveries`)).body.data[0].id,
  };
}

/** A send that waits for a person; its id. */
async function askToSend(service: TestService, owner: Person): Promise<string> {
  const asking = { name: 'asks', scopes: ['messages:send'], needs_approval: true };
  const { key } = (await owner.call('POST', '/api-keys', asking)).body;
  const { body } = await service.call('POST', '/v1/messages', {
    ...{ key, headers: { 'idempotency-key': newKey() } },
    body: { from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 'S', text: 'T' },
  });
  return body.error.message.slice(body.error.message.lastIndexOf('/') + 1);
}

/** A mail of the test mailbox that has just come, with HTML and an attachment; its id. */
export async function arriveInMailbox(db: TestService['db']): Promise<string> {
  const mailId = newId();
  const raw = Buffer.from(
    [
      'From: eva@sandbox.test\r\nTo: ana@sandbox.test\r\nSubject: secret link\r\nMIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x</p>',
      '--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\na',
      '--b--\r\n',
    ].join('\r\n'),
  );
  const mail = { mailId, reversePath: 'b+1@bounce.test', forwardPath: 'ana@sandbox.test', clientName: 't' };
  await insertMail(db, [{ ...mail, tls: null, raw, receivedAt: new Date() }]);
  return mailId;
}

/** The path with ids; null where nothing of its kind is owned. */
export function filled(path: string, owned: Owned | null): string | null {
  const part = path.split('/')[1]!;
  let missing = false;
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = owned === null ? newId() : owned[name === 'id' ? part : `${part}/${name}`];
    missing ||= id === undefined;
    return id ?? '';
  });
  return missing ? null : url;
}

/** Bodies that pass the schema, where a route wants one before it looks for what its path names. */
export const BODIES: Readonly<Record<string, object>> = {
  updateMessage: { send_at: null },
  updateTemplate: { subject: 'changed' },
  renderTemplate: { variables: {} },
  updateSender: { active: false },
  updateWebhook: { description: 'changed' },
  replayWebhookDeliveries: { since: '2026-01-01T00:00:00Z' },
  approveSend: { shown: 'a'.repeat(64) },
  updateMember: { role: 'viewer' },
  updatePasskey: { name: 'changed' },
  createShare: {
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    disclose: { message: true, parts: [], delivery: false },
  },
};
