import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import { testDatabase } from '@acuse/testkit/database';
import { eventually } from '@acuse/testkit/eventually';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Request,
  Response,
} from 'playwright-core';
import { watchingForStuck } from './stuck.ts';
import { type Watch, watch } from './watch.ts';

/**
 * The portal as people have it: a real server with a database of its own, a real browser, people with roles.
 * Whatever a page loads from elsewhere, its policy forbids or no code caught is kept, and fails `stop()`: a
 * test that meant it takes it out of the list.
 */
export interface Portal {
  readonly server: ServerProcess;
  readonly base: string;
  readonly databaseUrl: string;
  /** The one whom the link of the first run signed in: the link is good once, so their profile stays open. */
  firstOwner(): Promise<Visitor>;
  /** A person in a browser profile of their own, signed in; owners share the first one's session. */
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

export type VisitorOptions = Pick<
  BrowserContextOptions,
  'locale' | 'colorScheme' | 'viewport' | 'timezoneId' | 'ignoreHTTPSErrors'
>;

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

export async function startPortal(env: Readonly<Record<string, string>> = {}): Promise<Portal> {
  const folder = mkdtempSync(join(tmpdir(), 'acuse-portal-'));
  const database = await testDatabase();
  const server = await startServer({
    databaseUrl: database.url,
    dataDir: folder,
    env: { ACUSE_KEY_RATE: '0', ACUSE_ADDRESS_RATE: '0', ACUSE_KEYLESS_RATE: '0', ...env },
  });
  const browser = await startBrowser();
  const { baseUrl: base, sandbox } = server;
  let owner: Visitor | null = null;
  let operator: Visitor | null = null;
  let people = 0;
  const watches: Watch[] = [];

  async function open(options: VisitorOptions, at = `${base}/portal`): Promise<Visitor> {
    const context = await browser.newContext({ ...ENGLISH, ...options });
    const watching = await watch(context, new URL(at).origin);
    watches.push(watching);
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
        await context.close();
      },
    };
  }

  async function signedIn(link: string, options: VisitorOptions, at?: string): Promise<Visitor> {
    const visitor = await open(options, at);
    await visitor.page.goto(link);
    await visitor.page.locator('main button').click();
    await visitor.page.waitForURL((url) => !url.pathname.endsWith('/link'));
    return visitor;
  }

  async function firstOwner(): Promise<Visitor> {
    owner ??= await signedIn(String(sandbox!['portal_sign_in']), {});
    return owner;
  }

  async function asOwner(options: VisitorOptions = {}): Promise<Visitor> {
    const { context } = await firstOwner();
    const visitor = await open(options);
    await visitor.context.addCookies(await context.cookies());
    return visitor;
  }

  async function asOperator(options: VisitorOptions = {}): Promise<Visitor> {
    const at = String(sandbox!['admin_url']);
    operator ??= await signedIn(String(sandbox!['admin_sign_in']), {}, at);
    const visitor = await open(options, at);
    await visitor.context.addCookies(await operator.context.cookies());
    return visitor;
  }

  async function asSupport(options: VisitorOptions = {}): Promise<Visitor> {
    const at = String(sandbox!['admin_url']);
    const { context, close } = await asOperator();
    const answer = await context.request.post(`${at}/v1/admin/operators`, {
      data: { email: `support${++people}@example.com`, role: 'support' },
      headers: { origin: at, 'sec-fetch-site': 'same-origin' },
    });
    const { link } = await answer.json();
    await close();
    return signedIn(link.url, options, at);
  }

  async function invited(role: string, options: VisitorOptions): Promise<Visitor> {
    const { context } = await firstOwner();
    const answer = await context.request.post(`${base}/v1/portal/members`, {
      data: { email: `${role}${++people}@example.com`, role },
      headers: { origin: base, 'sec-fetch-site': 'same-origin' },
    });
    const { link, email } = await answer.json();
    return signedIn(link?.url ?? (await mailedLink(email)), options);
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

  async function api(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const answer = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${sandbox!['api_key']}`,
        'idempotency-key': crypto.randomUUID(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }

  return {
    server,
    base,
    databaseUrl: database.url,
    firstOwner,
    asOwner,
    asDeveloper: (options = {}) => invited('developer', options),
    asViewer: (options = {}) => invited('viewer', options),
    asOperator,
    asSupport,
    mailedLink,
    follow: (link, options = {}) => signedIn(link, options),
    asStranger: ({ console = false, ...options } = {}) =>
      open(options, console ? String(sandbox!['admin_url']) : undefined),
    api,
    async send(fields = {}) {
      const { status, body } = await api('POST', '/v1/messages', {
        from: 'billing@sandbox.test',
        to: 'delivered@sandbox.test',
        subject: 'Invoice A-1042',
        text: 'Hello Ana',
        ...fields,
      });
      if (status >= 300) throw new Error(`the send was refused: ${JSON.stringify(body)}`);
      return body.id;
    },
    async stop() {
      await stopAll(browser, server, database.drop);
      rmSync(folder, { recursive: true, force: true });
      const seen = watches.flatMap((each) => Object.entries(each)).filter(([, { length }]) => length > 0);
      if (seen.length > 0) throw new Error(`pages did what they must not: ${JSON.stringify(seen)}`);
    },
  };
}

/** Throws with what the page shows and what was answered, where it shows no heading. */
async function visit(page: Page, url: string): Promise<number> {
  const answers: string[] = [];
  const hear = (response: Response) => void answers.push(`${response.status()} ${response.url()}`);
  const miss = (request: Request) => void answers.push(`${request.failure()?.errorText} ${request.url()}`);
  page.on('response', hear).on('requestfailed', miss);
  // Where only the fragment of the address changes, nothing is asked for.
  const answer = (await page.goto(url)) ?? (await page.reload());
  // A heading may be for readers of the page's structure only.
  const heading = page.locator('h1').waitFor({ state: 'attached' });
  await watchingForStuck(page, heading).catch(async (cause) => {
    const shown = await page.locator('body').innerText({ timeout: 5_000 }).catch(String);
    throw new Error(`${url} has no heading. It shows: ${shown}\n${answers.join('\n')}`, { cause });
  });
  page.off('response', hear).off('requestfailed', miss);
  if (answer === null) throw new Error(`${url} was not asked for`);
  return answer.status();
}

async function stopAll(browser: Browser, server: ServerProcess, drop: () => Promise<void>): Promise<void> {
  await browser.close();
  await server.end('SIGTERM');
  await drop();
}
