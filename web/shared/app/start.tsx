import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { pageCalls } from '../api/calls.ts';
import { createApi } from '../api/client.ts';
import { ApiError, NO_ANSWER } from '../api/error.ts';
import type { PageRoute } from '../routing/page.ts';
import { createPageRouter, type LoadFrame } from '../routing/router.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { chosenAccount } from './account.ts';
import { ApiProvider } from './api-context.tsx';
import { boundRenders } from './bounded-renders.ts';
import { createChallenges } from './challenge.ts';
import { ChallengeHost } from './challenge-host.tsx';
import { FrameFailed, PageFailed, PageLoading, PageMissing } from './fallbacks.tsx';
import { OnceProvider } from './once.tsx';
import { PreferencesProvider } from './preferences.tsx';
import { SESSION_KEY } from './session.ts';

/** An application: where its pages and its calls are, and what stands around its pages. */
export interface Application {
  /** `/portal` */
  readonly basepath: string;
  /** `/v1/portal` */
  readonly apiPrefix: string;
  readonly routes: readonly PageRoute[];
  readonly shell: LoadFrame;
  readonly openFrame: LoadFrame;
}

/** Failed reads are repeated twice, unless the server has said no, or nothing for as long as a page waits. */
const RETRIES = 2;
/** Data that was read within this time is shown as it is (ms). */
const FRESH_MS = 5_000;

const isLast = ({ status, code }: ApiError) => (status < 500 && status > 0) || code === NO_ANSWER;

export function startApplication({ basepath, apiPrefix, routes, shell, openFrame }: Application): void {
  boundRenders();
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && !(error instanceof ApiError && isLast(error)),
      },
    },
  });
  const challenges = createChallenges();
  const api = createApi({
    prefix: apiPrefix,
    account: chosenAccount,
    // Without a session so far there is nothing to keep: the shell leads to signing in.
    challenge: async (kind) =>
      queryClient.getQueryData(SESSION_KEY) === undefined ? false : challenges.ask(kind),
    onCall: pageCalls.add,
  });
  const router = createPageRouter({
    basepath,
    routes,
    queryClient,
    api,
    shell,
    openFrame,
    Loading: PageLoading,
    Failed: PageFailed,
    FrameFailed,
    Missing: PageMissing,
  });
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <PreferencesProvider>
        <QueryClientProvider client={queryClient}>
          <ApiProvider api={api}>
            <ToastProvider>
              <OnceProvider>
                <RouterProvider router={router} />
                <ChallengeHost challenges={challenges} />
              </OnceProvider>
            </ToastProvider>
          </ApiProvider>
        </QueryClientProvider>
      </PreferencesProvider>
    </StrictMode>,
  );
}
