import { createApiKey } from '../../src/accounts/api-keys/operations.ts';
import { markVerified, registerDomain } from '../../src/accounts/domains/register.ts';
import { createSender } from '../../src/accounts/senders/operations.ts';
import { createTenant } from '../../src/accounts/tenants/operations.ts';
import type { AccountSettings } from '../../src/accounts/tenants/store.ts';
import { SCOPES, type Scope } from '../../src/platform/http/http.ts';
import type { TestService } from './service.ts';

/** An account of a test, with a key of every scope. */
export interface TestTenant {
  readonly tenantId: string;
  readonly key: string;
  /** A further key with these scopes. */
  keyWith(...scopes: Scope[]): Promise<string>;
}

export async function makeTenant(
  { services }: Pick<TestService, 'services'>,
  settings: Partial<AccountSettings> & { name?: string; sandbox?: boolean } = {},
): Promise<TestTenant> {
  const { tenantId } = await createTenant(services, { name: 'Tester', ...settings });
  const keyWith = async (...scopes: Scope[]) =>
    (await createApiKey(services, tenantId, { name: 'test', scopes }, null)).key;
  return { tenantId, key: await keyWith(...SCOPES), keyWith };
}

/** A domain that the account may send from, with `*@domain` approved; returns its id. */
export async function giveDomain(
  { services }: Pick<TestService, 'services'>,
  tenantId: string,
  name: string,
  sender: string | null = `*@${name}`,
): Promise<string> {
  const { domainId } = await registerDomain(services.domains, tenantId, name);
  await markVerified(services.domains, tenantId, domainId);
  if (sender !== null) await createSender(services, tenantId, sender);
  return domainId;
}
