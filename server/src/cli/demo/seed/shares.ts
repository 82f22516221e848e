import { type IssueLinkDeps, issueLink } from '../../../people/sessions/operator-issued-link.ts';
import type { Ask } from './ask.ts';
import { PEOPLE, type StoryShare } from './story.ts';

export interface SharesDeps {
  readonly baseUrl: string;
  readonly ask: Ask;
  readonly links: IssueLinkDeps;
}

const BY = { kind: 'operator', id: null, name: 'acuse demo', clientAddress: null, requestId: null } as const;
const DAY_MS = 86_400_000;

export interface Sharing {
  share(share: StoryShare): Promise<void>;
  revoke(): Promise<void>;
}

interface Made {
  readonly id: string;
  readonly messageId: string;
}

export function createSharing({ baseUrl, ask, links }: SharesDeps): Sharing {
  const toRevoke: Made[] = [];

  async function call(method: string, path: string, body?: object, cookie?: string): Promise<Response> {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== undefined && { cookie }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  }

  /** Sharing needs a recent sign-in, and days have passed. */
  async function signIn(): Promise<string> {
    const [{ email }] = PEOPLE;
    const { link } = await issueLink(links, { email, membership: null }, BY);
    const answer = await call('POST', '/v1/portal/session', { link: new URL(link.url).hash.slice(1) });
    await answer.body?.cancel();
    return answer.headers.getSetCookie()[0]!.split(';', 1)[0]!;
  }

  return {
    async share({ note, days, disclose, opened, revoked }) {
      const { data } = await ask.get('/v1/messages?tag=contrato&sealed=true&limit=1');
      const [{ id: messageId }] = data as [{ id: string }];
      const cookie = await signIn();
      const expires_at = new Date(Date.now() + days * DAY_MS).toISOString();
      const body = { note, expires_at, disclose };
      const path = `/v1/portal/messages/${messageId}/shares`;
      const share = (await (await call('POST', path, body, cookie)).json()) as { id: string; url: string };
      const secret = new URL(share.url).hash.slice(1);
      for (let times = 0; times < opened; times++)
        await (await call('POST', `/prove/${share.id}`, { secret })).arrayBuffer();
      if (revoked) toRevoke.push({ id: share.id, messageId });
      await call('DELETE', '/v1/portal/session', undefined, cookie);
    },
    async revoke() {
      if (toRevoke.length === 0) return;
      const cookie = await signIn();
      for (const { id, messageId } of toRevoke.splice(0))
        await call('DELETE', `/v1/portal/messages/${messageId}/shares/${id}`, undefined, cookie);
      await call('DELETE', '/v1/portal/session', undefined, cookie);
    },
  };
}
