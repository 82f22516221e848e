import { chosenAccount } from '../app/account.ts';

/**
 * The test mailbox as its page asks for it: with the sandbox's key, which is kept for as long as the tab, or
 * with the session of somebody who is signed in to the portal.
 */
export interface MailSummary {
  readonly id: string;
  readonly mail_from: string;
  readonly rcpt_to: string;
  readonly message_id: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly subject: string | null;
  readonly size_bytes: number;
  readonly client_name: string;
  readonly tls: { readonly version: string; readonly cipher: string } | null;
  readonly received_at: string;
}

export interface MailDetail extends MailSummary {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly {
    readonly filename: string | null;
    readonly content_type: string;
    readonly size_bytes: number;
  }[];
}

export interface MailPage {
  readonly data: readonly MailSummary[];
  readonly next_cursor: string | null;
}

/** The server's answer was no: 401 for a key that it does not know, 0 when it did not answer. */
export class MailboxError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`answered ${status}`);
    this.status = status;
  }
}

export interface Mailbox {
  list(limit: number, after: string | null): Promise<MailPage>;
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
    previewUrl: async (id) => (await (await ask('POST', `/${id}/preview`)).json()).url,
    remove: async (id) => {
      await ask('DELETE', id === null ? '' : `/${id}`);
    },
  };
}

function accountHeader(): Record<string, string> {
  const account = chosenAccount();
  return account === null ? {} : { 'Service-Account': account };
}
