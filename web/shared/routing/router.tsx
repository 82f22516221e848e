import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useLoaderData,
  useMatches,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { pageCalls } from '../api/calls.ts';
import type { ApiClient } from '../api/client.ts';
import { usePreferences } from '../app/preferences.tsx';
import { PartContext } from '../ui/part.ts';
import type { AnyPage, PageRoute, Params } from './page.ts';
import { parseSearchText, type RawSearch, readSearch, searchText, writeSearch } from './search.ts';
import { titlePage } from './title.ts';

/** The list of pages as a router: each is loaded when somebody comes to it, or is about to. */
export interface RouterParts {
  readonly basepath: string;
  readonly routes: readonly PageRoute[];
  readonly queryClient: QueryClient;
  readonly api: ApiClient;
  /** Around the pages that need a session. */
  readonly shell: LoadFrame;
  /** Around those that need none. */
  readonly openFrame: LoadFrame;
  readonly Loading: () => ReactNode;
  readonly Failed: (props: { error: unknown }) => ReactNode;
  readonly FrameFailed: (props: { error: unknown }) => ReactNode;
  readonly Missing: () => ReactNode;
}

/** The frame around pages, loaded with the first of them. */
export type LoadFrame = () => Promise<{ readonly default: ComponentType<{ children: ReactNode }> }>;

/** A page that takes longer to come shows its loading state (ms). */
const PENDING_AFTER_MS = 200;

export function createPageRouter(parts: RouterParts) {
  const root = createRootRouteWithContext<LoaderContext>()({
    component: Outlet,
    notFoundComponent: parts.Missing,
    errorComponent: parts.FrameFailed,
  });
  const frame = (id: string, load: LoadFrame) =>
    createRoute({
      getParentRoute: () => root,
      id,
      errorComponent: parts.FrameFailed,
      component: lazyRouteComponent(async () => {
        const { default: Frame } = await load();
        const Framed = () => (
          <Frame>
            <PageOutlet />
          </Frame>
        );
        return { default: Framed };
      }),
    });
  const shell = frame('shell', parts.shell);
  const open = frame('open', parts.openFrame);
  const pages = parts.routes.map((each) => [each, pageRoute(each, each.open ? open : shell)] as const);
  const below = (isOpen: boolean) => pages.filter(([each]) => each.open === isOpen).map(([, made]) => made);
  return createRouter({
    routeTree: root.addChildren([shell.addChildren(below(false)), open.addChildren(below(true))]),
    basepath: parts.basepath,
    context: { queryClient: parts.queryClient, api: parts.api },
    parseSearch: parseSearchText,
    stringifySearch: searchText,
    defaultPreload: 'intent',
    defaultPendingMs: PENDING_AFTER_MS,
    defaultPendingComponent: parts.Loading,
    defaultErrorComponent: parts.Failed,
    defaultNotFoundComponent: parts.Missing,
    scrollRestoration: true,
  });
}

/** Begins anew for each page: Preact leaves what was there before in place when the next one is awaited. */
function PageOutlet() {
  const page = useMatches().at(-1)?.routeId;
  return <Outlet key={String(page)} />;
}

interface LoaderContext {
  readonly queryClient: QueryClient;
  readonly api: ApiClient;
}

type Parent = ReturnType<typeof createRoute>;

function pageRoute({ path, load }: PageRoute, parent: unknown): Parent {
  return createRoute({
    getParentRoute: () => parent as Parent,
    path,
    async loader({ context, params, location }) {
      const { page } = await load();
      const { queryClient, api } = context as unknown as LoaderContext;
      const search = readSearch(page.search, location.search as RawSearch);
      for (const query of page.queries?.(api, params, search) ?? []) void queryClient.prefetchQuery(query);
      return page;
    },
    component: PageHost,
  }) as unknown as Parent;
}

function PageHost() {
  const page = useLoaderData({ strict: false }) as unknown as AnyPage | undefined;
  const params = useParams({ strict: false }) as Params;
  const raw = useSearch({ strict: false }) as RawSearch;
  const navigate = useNavigate();
  const { language } = usePreferences();
  const title = page?.title(language) ?? '';
  useEffect(() => {
    titlePage(title);
  }, [title]);
  useEffect(() => {
    // The previous page's calls.
    if (page !== undefined) return () => pageCalls.clear();
    return undefined;
  }, [page]);
  if (page === undefined) return null;
  const search = readSearch<object>(page.search, raw);
  const setSearch = (change: object, { replace = false } = {}) =>
    void navigate({
      to: '.',
      search: (() => writeSearch(page.search, { ...search, ...change })) as never,
      replace,
      resetScroll: false,
    });
  return (
    <PartContext value={title}>
      <page.Page params={params} search={search} setSearch={setSearch} />
    </PartContext>
  );
}
