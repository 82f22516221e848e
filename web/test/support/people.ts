import type { Portal, Visitor } from './portal.ts';
import { ownHeaders } from './sessions.ts';

/** Fits the rules, and is nobody's. */
export const PASSWORD = 'cuatro gatos verdes';

/** The signer in by the form, in a profile of their own. */
export async function signInBy(portal: Portal, email: string, password = PASSWORD): Promise<Visitor> {
  const visitor = await portal.asStranger();
  await visitor.visit('/sign-in');
  await visitor.page.getByLabel('Email address').fill(email);
  await visitor.page.getByLabel('Password', { exact: true }).fill(password);
  await visitor.page.getByRole('button', { name: 'Sign in' }).click();
  return visitor;
}

export interface OtherAccount {
  readonly id: string;
  /** A link that signs this person in as a member of the account. */
  link(email: string, role: string): Promise<string>;
}

/** An account of customers, opened on the console. */
export async function openAccount(portal: Portal, name: string): Promise<OtherAccount> {
  const operator = await portal.asOperator();
  const { origin } = new URL(String(portal.server.sandbox!['admin_url']));
  const post = async (path: string, data: object) => {
    const answer = await operator.page.request.post(`${origin}/v1/admin${path}`, {
      data,
      headers: ownHeaders(origin),
    });
    if (answer.status() >= 300) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const { id } = await post('/tenants', { name });
  return {
    id,
    async link(email, role) {
      const { link } = await post(`/tenants/${id}/members`, { email, role });
      // The console knows the configured name, whose port is any here.
      return portal.base + link.url.slice(new URL(link.url).origin.length);
    },
  };
}
