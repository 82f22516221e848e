import type { Page, Request, Route } from 'playwright-core';

/**
 * The reads of one page, answered in the server's place. Each waits when it is first asked for, until it is
 * made to fail, and fails from then on until it is healed.
 */
export interface Answers {
  /** Reads that wait, by their addresses. */
  held(): readonly string[];
  fail(kind: FailureKind): Promise<void>;
  heal(): void;
  /** From now on none waits: all fail, or have lists without rows. */
  all(how: FailureKind | 'empty'): void;
  /** Addresses of the reads answered since then. */
  answered(): readonly string[];
  /** Resolves once no part of the application is on its way, and each read was answered or waits. */
  settled(): Promise<void>;
  /** The server answers again. */
  leave(): Promise<void>;
}

export const FAILURE_KINDS = ['500', '503', 'cut'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const READS = /\/v1\/(?:portal|admin)\/(?!session\b|changes\b)/;
const FENCE = '/v1/fence';
/** The end of a period that ends now: a moment later it is the same read. */
const AN_INSTANT = /\d{4}-\d{2}-\d{2}T[^&]*/g;
/** A loaded part is rendered in a task or two, and may then ask for something. */
const CALM_LOOKS = 3;
/** Lists of an account or a template that are never empty. */
const NEVER_EMPTY = /\/(?:members|sessions|versions)\b/;
const BUSY = { error: { code: 'unavailable', message: 'Too much to do.', param: null } };

export async function answerInPlace(page: Page): Promise<Answers> {
  const states = new Map<string, 'held' | 'failing' | 'healed'>();
  let waiting: { name: string; route: Route }[] = [];
  let kind: FailureKind = '500';
  let rest: FailureKind | 'empty' | null = null;
  let answered: string[] = [];
  const underWay = new Set<Promise<void>>();
  /** Of the application itself: those that ask for more once they are here. */
  const parts = new Set<Request>();
  const isPart = (request: Request) => new URL(request.url()).pathname.includes('/assets/');
  const came = (request: Request) => void parts.delete(request);
  const asked = (request: Request) => void (isPart(request) && parts.add(request));
  page.on('request', asked).on('requestfinished', came).on('requestfailed', came);

  function answer(route: Route): Promise<void> {
    const { pathname, search } = new URL(route.request().url());
    const name = pathname + search.replace(AN_INSTANT, '');
    if (rest === null) {
      const state = states.get(name) ?? 'held';
      states.set(name, state);
      if (state === 'failing') return failing(route, kind);
      if (state === 'healed') return route.continue();
      waiting.push({ name, route });
      return Promise.resolve();
    }
    answered.push(name);
    return rest === 'empty' ? emptied(route) : failing(route, rest);
  }

  await page.route(READS, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const work = answer(route);
    underWay.add(work);
    await work.finally(() => underWay.delete(work));
  });
  await page.route(`**${FENCE}`, (route) => route.fulfill({ status: 204 }));

  return {
    held: () => waiting.map(({ name }) => name),
    async fail(how) {
      kind = how;
      const failed = waiting;
      waiting = [];
      for (const { name } of failed) states.set(name, 'failing');
      for (const { route } of failed) await failing(route, how);
    },
    heal() {
      for (const [name, state] of states) if (state === 'failing') states.set(name, 'healed');
    },
    all(how) {
      rest = how;
      answered = [];
    },
    answered: () => answered,
    async settled() {
      let calm = 0;
      while (calm < CALM_LOOKS) {
        // The browser hands requests over in the order in which they were made.
        await page.evaluate((fence) => fetch(fence).then(() => undefined), FENCE);
        await Promise.all(underWay);
        calm = underWay.size + parts.size > 0 ? 0 : calm + 1;
      }
    },
    async leave() {
      page.off('request', asked).off('requestfinished', came).off('requestfailed', came);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  };
}

async function failing(route: Route, how: FailureKind): Promise<void> {
  if (how === 'cut') return route.abort('connectionreset');
  if (how === '503') return route.fulfill({ status: 503, json: BUSY });
  return route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Internal error</h1>' });
}

async function emptied(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = await response.json().catch(() => null);
  if (!Array.isArray(body?.data) || NEVER_EMPTY.test(route.request().url()))
    return route.fulfill({ response });
  return route.fulfill({ response, json: { ...body, data: [], next_cursor: null } });
}
