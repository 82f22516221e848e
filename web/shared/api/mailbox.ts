import { chosenAccount } from '../app/account.ts';
import type { MailDetail, MailPreview, MailSummaryPage } from './portal-types.ts';

/** The server's answer was no: 401 for a key that it does not know, 0 when it did not answer. */
export class MailboxError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`answered ${status}`);
    this.status = status;
  }
}

/**
 * The test mailbox as its page asks for it: with the sandbox's key, which is kept for as long as the tab, or
 * with the session of somebody who is signed in to the portal.
 */
export interface Mailbox {
  list(limit: number, after: string | null): Promise<MailSummaryPage>;
  read(id: string): Promise<MailDetail>;
  /** Bytes of the whole message, or of an attachment. */
  bytes(id: string, attachment: number | null): Promise<Blob>;
  /** Where a frame loads the HTML body, once and soon. */
  previewUrl(id: string): Promise<string>;
  /** One, or with null all. */
  remove(id: string | null): Promise<void>;
}

const PATH = '/sandbox/mailbox';
const PORTAL_PATH = '/v1/portal/mailbox';

/** `key` null: with the portal's session, for the account that this browser works for. */
export function openMailbox(key: string | null): Mailbox {
  async function ask(method: string, path: string): Promise<Response> {
    const answer = await fetch((key === null ? PORTAL_PATH : PATH) + path, {
      method,
      headers: {
        ...(key === null ? accountHeader() : { Authorization: `Bearer ${key}` }),
        Accept: 'application/json',
      },
      credentials: key === null ? 'same-origin' : 'omit',
    }).catch(() => null);
    if (answer === null) throw new MailboxError(0);
    if (!answer.ok) {
      // Nobody reads it: the connection need not wait.
      await answer.body?.cancel();
      throw new MailboxError(answer.status);
    }
    return answer;
  }
  return {
    list: async (limit, after) =>
      (await ask('GET', `?limit=${limit}${after === null ? '' : `&after=${after}`}`)).json(),
    read: async (id) => (await ask('GET', `/${id}`)).json(),
    bytes: async (id, attachment) =>
      (await ask('GET', attachment === null ? `/${id}/raw` : `/${id}/attachments/${attachment}`)).blob(),
    previewUrl: async (id) => {
      const { url }: MailPreview = await (await ask('POST', `/${id}/preview`)).json();
      return url;
    },
    remove: async (id) => {
      await ask('DELETE', id === null ? '' : `/${id}`);
    },
  };
}

function accountHeader(): Record<string, string> {
  const account = chosenAccount();
  return account === null ? {} : { 'Service-Account': account };
}
