import type { Installation } from './installation.ts';
import { askWith, type Cookies, openSession } from './sessions.ts';

/** An account as the sandbox's own is: it may send as sandbox.test, and reads the test mailbox. */
export interface Account {
  readonly tenantId: string;
  readonly apiKey: string;
  /** The session that its owners share. */
  owner(): Promise<Cookies>;
  /** Somebody new of this role, signed in. */
  member(role: string): Promise<Cookies>;
  /** Gives sandbox.test up, which only one account may have at a time. */
  giveUp(): Promise<void>;
}

const NAME = 'Sandbox';
const DOMAIN = 'sandbox.test';
const SCOPES = ['messages:send', 'evidence:read', 'suppressions:write', 'api_keys:write'];
/** Nobody counts in a sandbox. */
const QUOTA = 1_000_000_000;

/** The one that the service made itself. */
export function firstAccount(installation: Installation): Account {
  const sandbox = installation.server.sandbox!;
  const tenantId = String(sandbox['tenant_id']);
  let owner: Promise<Cookies> | null = null;
  return {
    tenantId,
    apiKey: String(sandbox['api_key']),
    async owner() {
      owner ??= openSession(String(sandbox['portal_sign_in']));
      return fresh(installation, tenantId, await owner);
    },
    member: membersOf(installation, tenantId),
    giveUp: () => giveUp(installation, String(sandbox['api_key'])),
  };
}

/** True if the account that the service made itself has given sandbox.test up. */
const begun = new WeakSet<Installation>();

/** The account before must have given sandbox.test up. */
export async function openAccount(installation: Installation): Promise<Account> {
  if (!begun.has(installation)) await firstAccount(installation).giveUp();
  begun.add(installation);
  const { server, query } = installation;
  const asOperator = operatorOf(installation);
  const quotas = { quota_messages_month: QUOTA, quota_plain_messages_month: QUOTA };
  const { id } = await asOperator('/tenants', { name: NAME, ...quotas });
  // Only the service itself makes such an account, when it starts for the first time.
  await query('acuse_worker', 'update tenants set sandbox = true where tenant_id = $1', [id]);
  // Failures of people of other files do not count for those of this one, who have the same address.
  await query('acuse_sessions', 'delete from sign_in_failures');

  const member = membersOf(installation, id);
  const owner = await member('owner');
  const asOwner = (path: string, data: object) =>
    askWith(owner, `${server.baseUrl}/v1/portal${path}`, 'POST', data);
  const { key } = await asOwner('/api-keys', { name: NAME, scopes: SCOPES });
  const domain = await asOwner('/domains', { name: DOMAIN });
  await asOperator(`/tenants/${id}/domains/${domain.id}/vouch`, {});
  await asOwner('/senders', { address: `*@${DOMAIN}` });
  return {
    tenantId: id,
    apiKey: key,
    owner: () => fresh(installation, id, owner),
    member,
    giveUp: () => giveUp(installation, key),
  };
}

/** However long the tests before took: a sign-in that is too long ago is asked for again. */
async function fresh({ query }: Installation, tenantId: string, owner: Cookies): Promise<Cookies> {
  await query(
    'acuse_sessions',
    `update user_sessions s set authenticated_at = now() from members m
     where m.user_id = s.user_id and m.tenant_id = $1 and m.role = 'owner'`,
    [tenantId],
  );
  return owner;
}

async function giveUp({ server }: Installation, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const url = `${server.baseUrl}/v1/domains`;
  const { data } = await (await fetch(url, { headers })).json();
  const { id } = data.find(({ name }: { name: string }) => name === DOMAIN);
  const answer = await fetch(`${url}/${id}`, { method: 'DELETE', headers });
  if (!answer.ok) throw new Error(`${DOMAIN} cannot be given up: ${await answer.text()}`);
}

function operatorOf({ server, operator }: Installation) {
  const admin = `${new URL(String(server.sandbox!['admin_url'])).origin}/v1/admin`;
  return async (path: string, data: object) => askWith(await operator(), admin + path, 'POST', data);
}

function membersOf(installation: Installation, tenantId: string) {
  let people = 0;
  return async (role: string): Promise<Cookies> => {
    const email = `${role}${++people}.${tenantId}@example.com`;
    const { link } = await operatorOf(installation)(`/tenants/${tenantId}/members`, { email, role });
    // The console knows the configured name, whose port is any here.
    return openSession(installation.server.baseUrl + link.url.slice(new URL(link.url).origin.length));
  };
}
