import { chromiumPath } from '@acuse/testkit/browser';
import type { DnsScript } from '@acuse/testkit/dns-peer';
import { eventually } from '@acuse/testkit/eventually';
import type { ServerProcess } from '@acuse/testkit/server-process';
import type {
  BrowserContext,
  BrowserContextOptions,
  Page,
  Response as PageResponse,
  Request,
} from 'playwright-core';
import type { Account } from './account.ts';
import type { Installation } from './installation.ts';
import { askWith, type Cookies, openSession } from './sessions.ts';
import { watchingForStuck } from './stuck.ts';
import type { Watch } from './watch.ts';

/**
 * The portal as people have it: a real server with its database, a real browser, an account and its people.
 * Whatever a page loads from elsewhere, its policy forbids or no code caught is kept, and fails `stop()`: a
 * test that meant it takes it out of the list.
 */
export interface Portal {
  /** Its sandbox has the key and the id of the account, in place of those of the first run's. */
  readonly server: ServerProcess;
  readonly base: string;
  readonly databaseUrl: string;
  /** Answers of the DNS from now on; at first it knows no name. */
  answerDns(script: DnsScript): void;
  /** A request of an owner, by its path below /v1/portal. */
  ownerAsks(method: string, path: string, data?: object): Promise<ApiAnswer['body']>;
  /** A person in a browser profile of their own, signed in; owners share one session. */
  asOwner(options?: VisitorOptions): Promise<Visitor>;
  asDeveloper(options?: VisitorOptions): Promise<Visitor>;
  asViewer(options?: VisitorOptions): Promise<Visitor>;
  /** An operator on the console, which has an address of its own. */
  asOperator(options?: VisitorOptions): Promise<Visitor>;
  /** An operator of the role support. */
  asSupport(options?: VisitorOptions): Promise<Visitor>;
  /** Somebody without a session. */
  asStranger(options?: VisitorOptions & { console?: boolean }): Promise<Visitor>;
  /** The link in the newest mail that the sandbox keeps for this address. */
  mailedLink(email: string): Promise<string>;
  /** Follows such a link in a profile of its own, and presses its button. */
  follow(link: string, options?: VisitorOptions): Promise<Visitor>;
  /** A request of the machine API with the sandbox's key. */
  api(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** A message to an address of the sandbox; returns its id. */
  send(fields?: object): Promise<string>;
  stop(): Promise<void>;
}

export interface VisitorOptions
  extends Pick<
    BrowserContextOptions,
    'locale' | 'colorScheme' | 'viewport' | 'timezoneId' | 'ignoreHTTPSErrors'
  > {
  /**
   * In a profile that nobody had before or gets after: whose cache is empty, or where a test changes the
   * clock or adds scripts. Others get an earlier visitor's, with the cache and nothing else in it.
   */
  ownProfile?: boolean;
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly watch: Watch;
  /**
   * Goes to a page, by its address below the application's or in full, and waits for its heading. Returns the
   * status of the answer.
   */
  visit(path: string): Promise<number>;
  close(): Promise<void>;
}

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly body: any;
}

/** False: say "skipped: needs chromium". In CI it must be there. */
export const hasBrowser = chromiumPath !== null || process.env['CI'] === 'true';

const ENGLISH: VisitorOptions = {
  locale: 'en-US',
  colorScheme: 'light',
  viewport: { width: 1280, height: 900 },
};

/** A new account on the service that the worker's files share. */
export async function startPortal(): Promise<Portal> {
  const { sharedInstallation } = await import('./installation.ts');
  const installation = await sharedInstallation();
  installation.answerDns(() => undefined);
  const { openAccount } = await import('./account.ts');
  const account = await openAccount(installation);
  return portalOf(installation, account, account.giveUp);
}

/** On a service of its own: where the installation itself is the subject, and not an account. */
export async function startOwnPortal(env: Readonly<Record<string, string>> = {}): Promise<Portal> {
  const { startInstallation } = await import('./installation.ts');
  const installation = await startInstallation(env);
  const { firstAccount } = await import('./account.ts');
  return portalOf(installation, firstAccount(installation), installation.end);
}

async function portalOf(
  installation: Installation,
  account: Account,
  end: () => Promise<void>,
): Promise<Portal> {
  const { leaveProfile, newProfile, takeProfile } = await import('./profiles.ts');
  const { server } = installation;
  const { baseUrl: base } = server;
  const own = { api_key: account.apiKey, tenant_id: account.tenantId };
  const adminUrl = String(server.sandbox!['admin_url']);
  let operators = 0;
  const watches = new Set<Watch>();
  const contexts = new Set<BrowserContext>();

  async function open(
    { ownProfile = false, ...options }: VisitorOptions,
    at = `${base}/portal`,
  ): Promise<Visitor> {
    const { origin } = new URL(at);
    const looks = { ...ENGLISH, ...options };
    const profile =
      (ownProfile ? undefined : takeProfile(origin, looks)) ?? (await newProfile(origin, looks));
    const { context, watch: watching } = profile;
    watches.add(watching);
    contexts.add(context);
    const page = await context.newPage();
    return {
      page,
      context,
      watch: watching,
      visit: (path) => visit(page, path.startsWith('http') ? path : at + path),
      async close() {
        // A request that a test answers in the server's place may still be under way.
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.unrouteAll({ behavior: 'ignoreErrors' });
        contexts.delete(context);
        await (ownProfile ? context.close() : leaveProfile(profile));
      },
    };
  }

  async function signedIn(cookies: Cookies, options: VisitorOptions, at?: string): Promise<Visitor> {
    const visitor = await open(options, at);
    await visitor.context.addCookies(cookies);
    return visitor;
  }

  /** By its page: somebody who was given the link. */
  async function follow(link: string, options: VisitorOptions = {}): Promise<Visitor> {
    const visitor = await open(options);
    await visitor.page.goto(link);
    await visitor.page.locator('main button').click();
    await visitor.page.waitForURL((url) => !url.pathname.endsWith('/link'));
    return visitor;
  }

  async function asSupport(options: VisitorOptions = {}): Promise<Visitor> {
    const email = `support${++operators}-${account.tenantId}@example.com`;
    const data = { email, role: 'support' };
    const { link } = await askWith(
      await installation.operator(),
      `${adminUrl}/v1/admin/operators`,
      'POST',
      data,
    );
    return signedIn(await openSession(link.url), options, adminUrl);
  }

  async function mailedLink(email: string): Promise<string> {
    let found: string | undefined;
    await eventually(async () => {
      const { body } = await api('GET', `/sandbox/mailbox?to=${encodeURIComponent(email)}`);
      if (body.data.length === 0) return false;
      const { body: mail } = await api('GET', `/sandbox/mailbox/${body.data[0].id}`);
      found = /https?:\/\/\S+#\S+/.exec(mail.text)?.[0];
      return found !== undefined;
    });
    return found!;
  }

  function ask(method: string, path: string, body?: unknown, key = crypto.randomUUID()): Promise<Response> {
    return fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${account.apiKey}`,
        'idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async function api(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const answer = await ask(method, path, body);
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }

  async function send(fields: object = {}): Promise<string> {
    const message = {
      from: 'billing@sandbox.test',
      to: 'delivered@sandbox.test',
      subject: 'Invoice A-1042',
      text: 'Hello Ana',
      ...fields,
    };
    const key = crypto.randomUUID();
    for (;;) {
      const answer = await ask('POST', '/v1/messages', message, key);
      if (answer.ok) return (await answer.json()).id;
      // A service that has too much to do says when to come again with the same key, and clients do.
      const after = answer.status === 503 ? answer.headers.get('retry-after') : null;
      if (after === null) throw new Error(`the send was refused: ${await answer.text()}`);
      await new Promise((resolve) => setTimeout(resolve, Number(after) * 1_000));
    }
  }

  return {
    server: { ...server, sandbox: { ...server.sandbox, ...own } },
    base,
    databaseUrl: installation.databaseUrl,
    answerDns: installation.answerDns,
    ownerAsks: async (method, path, data) =>
      askWith(await account.owner(), `${base}/v1/portal${path}`, method, data),
    asOwner: async (options = {}) => signedIn(await account.owner(), options),
    asDeveloper: async (options = {}) => signedIn(await account.member('developer'), options),
    asViewer: async (options = {}) => signedIn(await account.member('viewer'), options),
    asOperator: async (options = {}) => signedIn(await installation.operator(), options, adminUrl),
    asSupport,
    mailedLink,
    follow,
    asStranger: ({ console = false, ...options } = {}) => open(options, console ? adminUrl : undefined),
    api,
    send,
    async stop() {
      // Left by tests that failed before they closed theirs.
      for (const context of contexts) await context.close();
      await end();
      const seen = [...watches]
        .flatMap((each) => Object.entries(each))
        .filter(([, { length }]) => length > 0);
      if (seen.length > 0) throw new Error(`pages did what they must not: ${JSON.stringify(seen)}`);
    },
  };
}

/** Said in the place of a page while its session is read slowly: nothing can be done there yet. */
const NOT_YET = /^(?:The service does not answer yet|El servicio aún no responde)\./;

/** Throws with what the page shows and what was answered, where it shows no heading. */
async function visit(page: Page, url: string): Promise<number> {
  const answers: string[] = [];
  const hear = (response: PageResponse) => void answers.push(`${response.status()} ${response.url()}`);
  const miss = (request: Request) => void answers.push(`${request.failure()?.errorText} ${request.url()}`);
  page.on('response', hear).on('requestfailed', miss);
  // Where only the fragment of the address changes, nothing is asked for.
  const answer = (await page.goto(url)) ?? (await page.reload());
  // A heading may be for readers of the page's structure only.
  const heading = page.locator('h1:not([aria-busy])', { hasNotText: NOT_YET }).waitFor({ state: 'attached' });
  await watchingForStuck(page, heading).catch(async (cause) => {
    const shown = await page.locator('body').innerText({ timeout: 5_000 }).catch(String);
    throw new Error(`${url} has no heading. It shows: ${shown}\n${answers.join('\n')}`, { cause });
  });
  page.off('response', hear).off('requestfailed', miss);
  if (answer === null) throw new Error(`${url} was not asked for`);
  return answer.status();
}
