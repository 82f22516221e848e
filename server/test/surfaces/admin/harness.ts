import { type AdminSide, createAdminSide } from '../../../src/app/admin-side.ts';
import { ApiError } from '../../../src/errors.ts';
import { addOperator, linkOperator, requireByEmail } from '../../../src/people/operators/operators.ts';
import type { Answer, TestService } from '../../support/service.ts';

/** The admin console over a service of a test, as operators who are signed in use it. */
export interface TestConsole extends AdminSide {
  /** As ana, an admin, unless `as` says otherwise; null: without a session. */
  call(method: string, path: string, options?: ConsoleCall): Promise<Answer>;
  /** Records, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  audited(query?: string): Promise<any[]>;
  stop(): Promise<void>;
}

export interface ConsoleCall {
  readonly body?: unknown;
  readonly as?: keyof typeof OPERATORS | null;
  /** In place of the operator's own. */
  readonly cookie?: string | undefined;
  readonly headers?: Record<string, string>;
}

const OPERATORS = {
  ana: { name: 'Ana', email: 'ana@example.com', role: 'admin' },
  luis: { name: 'Luis', email: 'luis@example.com', role: 'admin' },
  support: { name: 'Sara', email: 'sara@example.com', role: 'support' },
} as const;

/** As a browser sends them. */
export const OWN = { host: 'localhost:8030', 'sec-fetch-site': 'same-origin' };

export async function openConsole({ services }: TestService): Promise<TestConsole> {
  const side = createAdminSide(services);

  async function ask(method: string, path: string, { body, cookie, headers }: ConsoleCall): Promise<Answer> {
    const answer = await side.app.inject({
      method: method as 'GET',
      url: `/v1/admin${path}`,
      headers: {
        ...OWN,
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      body: /json/.test(String(answer.headers['content-type'])) ? answer.json() : answer.body,
      raw: answer.rawPayload,
      headers: answer.headers,
    };
  }

  async function signIn({ name, email, role }: (typeof OPERATORS)[keyof typeof OPERATORS]): Promise<string> {
    const { link } = await addOperator(side.sessions, { name, email, role }).catch(async (error) => {
      if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
      return linkOperator(side.sessions, (await requireByEmail(side.sessions, email)).personId);
    });
    const answer = await ask('POST', '/session', { body: { link: new URL(link.url).hash.slice(1) } });
    if (answer.status !== 200) throw new Error(`no session: ${answer.raw}`);
    return cookieOf(answer);
  }

  const cookies = new Map<string, string>();
  for (const [who, operator] of Object.entries(OPERATORS)) cookies.set(who, await signIn(operator));
  const call: TestConsole['call'] = (method, path, { as = 'ana', ...rest } = {}) =>
    ask(method, path, { cookie: as === null ? undefined : cookies.get(as), ...rest });
  return {
    ...side,
    call,
    audited: async (query = '') => (await call('GET', `/audit${query}`)).body.data,
    stop: () => side.close(0),
  };
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';', 1)[0]!;
}
