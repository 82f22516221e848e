import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecorded } from '../../../src/accounts/audit/record-changes.ts';
import { givePassword, type Person, signedIn } from '../../support/people.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';
import { arriveInMailbox, filled, type Owned, ownEverything, PORTAL_ROUTES } from './doors-support.ts';

/** Every change through the portal is in the audit log: each operation of its document but the reads. */

const CHANGES = PORTAL_ROUTES.filter(({ method }) => method !== 'GET');

/** Writes its own entry, because it has no account, or because it knows what there was before. */
const OWN_ENTRIES: Readonly<Record<string, string>> = {
  signIn: 'sign_in',
  giveSecondFactor: 'sign_in',
  setPassword: 'set_password',
  confirmTotp: 'turn_on_totp',
  endTotp: 'turn_off_totp',
  renewRecoveryCodes: 'renew_recovery_codes',
  addPasskey: 'add_passkey',
  removePasskey: 'remove_passkey',
  inviteMember: 'invite_member',
  refuseInvitation: 'refuse_invitation',
  updateMember: 'change_member',
  removeMember: 'remove_member',
  updatePolicy: 'update_policy',
  approveGrant: 'approve_grant',
  approveSend: 'approve_send',
  refuseSend: 'refuse_send',
};

/** Operations that change nothing of an account, and why. */
const NOT_CHANGES: Readonly<Record<string, string>> = {
  verifyMessage: 'the access log has it',
  makeCaseFile: 'a download',
  verifyDomain: 'looks at the DNS, again and again',
  renderTemplate: 'shows',
  renderTemplateDraft: 'shows',
  previewTemplateDraft: 'shows',
  previewMailboxMail: 'shows',
  signOut: "the person's own session",
  endUserSession: "the person's own session",
  endOtherUserSessions: "the person's own sessions",
  reauthenticate: 'proves who it is',
  askForPasswordReset: 'a mail; setPassword is the change',
  updateUser: "the person's own name, language and zone",
  updatePasskey: "the name of the person's own passkey",
  beginTotp: 'begins; confirmTotp is the change',
  beginPasskey: 'begins; addPasskey is the change',
  beginPasskeySignIn: 'begins',
  beginPasskeyProof: 'begins',
};

const share = {
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  disclose: { message: true, parts: [], delivery: false },
};
const message = { from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 'S', text: 'T' };
/** Calls that succeed, in an order in which they do; what is made of each is in the log. */
type Body = object | undefined;
const CALLS: readonly (readonly [operationId: string, body: Body | ((of: Owned) => Body)])[] = [
  ['sendMessage', message],
  ['createTemplate', { name: 'audited', subject: 'S', text: 'T' }],
  ['updateTemplate', { subject: 'changed' }],
  ['deleteTemplate', undefined],
  ['createSuppression', { address: 'audited@example.com' }],
  ['deleteSuppression', undefined],
  ['createSender', { address: 'audited@owned.example.com' }],
  ['updateSender', { active: false }],
  ['deleteSender', undefined],
  ['createDomain', { name: 'audited.example.com' }],
  ['deleteDomain', undefined],
  ['createWebhook', { url: 'https://127.0.0.1:1/audited', events: ['*'] }],
  ['updateWebhook', { description: 'changed' }],
  ['rotateWebhookSecret', undefined],
  ['pingWebhook', undefined],
  ['deleteWebhook', undefined],
  ['createApiKey', { name: 'audited', scopes: ['evidence:read'] }],
  ['revokeApiKey', undefined],
  ['refuseSend', undefined],
  ['createShare', share],
  ['revokeShare', undefined],
  [
    'shareCaseFile',
    (of) => ({
      ...share,
      name: 'Case',
      message_ids: [of['messages']],
      disclose: { message: true, delivery: false },
    }),
  ],
  ['deleteMailboxMail', undefined],
  ['emptyMailbox', undefined],
  ['setPassword', { password: 'lamp river chess piano', current_password: 'cuatro gatos verdes' }],
  ['inviteMember', { email: 'audited@people.test', role: 'viewer' }],
  ['updateMember', { role: 'developer' }],
  ['removeMember', undefined],
];

let service: TestService;
let owner: Person;
let owned: Owned;

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  owner = await signedIn(service, service.account.tenantId, 'owner');
  await givePassword(owner);
  owned = { ...(await ownEverything(service, owner)), mailbox: await arriveInMailbox(service.db) };
});
afterAll(() => service?.stop());

test('each change is recorded, or is listed here with the reason', () => {
  const routes = service.http.routes.filter(({ door }) => door === 'portal');
  for (const { name, operation } of CHANGES) {
    const { operationId: id } = operation;
    const route = routes.find(({ schema }) => schema.operationId === id)!;
    const recorded = isRecorded(route);
    const ways = [recorded, id in OWN_ENTRIES, id in NOT_CHANGES].filter(Boolean).length;
    expect([name, ways], `${name} leaves no entry: see server/src/accounts/audit/record-changes.ts`).toEqual([
      name,
      1,
    ]);
  }
  const ids = CHANGES.map(({ operation }) => operation.operationId);
  for (const id of [...Object.keys(OWN_ENTRIES), ...Object.keys(NOT_CHANGES)]) expect(ids).toContain(id);
});

describe('what succeeds', () => {
  test.each(CALLS)('%s leaves one entry, of who did it', async (id, body) => {
    const { method, path } = CHANGES.find(({ operation }) => operation.operationId === id)!;
    const given = typeof body === 'function' ? body(owned) : body;
    const answer = await owner.call(method, filled(path, owned)!, given, { 'idempotency-key': newKey() });
    expect([id, answer.status < 300, answer.body?.error?.code]).toEqual([id, true, undefined]);
    const action = OWN_ENTRIES[id] ?? id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const entries = await service.db.query<{ action: string; actor_id: string }>(
      'select action, actor_id from account_events where request_id = $1',
      [answer.headers['request-id']],
    );
    expect(entries).toEqual([{ action, actor_id: owner.userId }]);
  });
});
