import { useQueryClient } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { useGo } from '../routing/link.tsx';
import { type AnyPage, definePage } from '../routing/page.ts';
import { text } from '../routing/search.ts';
import { PageHeading } from '../ui/heading.tsx';
import { Stack } from '../ui/layout.tsx';
import { useWords } from '../words/use-words.ts';
import { SignInForm } from './sign-in-form.tsx';
import { appWords } from './words.ts';

interface Search {
  /** Where to afterwards. */
  readonly next: string;
}

interface SignInViewProps {
  readonly lead: string;
  /** Where to afterwards. */
  readonly next: string;
  readonly children: ReactNode;
}

export function SignInView({ lead, next, children }: SignInViewProps) {
  const words = useWords(appWords);
  const queryClient = useQueryClient();
  const go = useGo();
  function onDone() {
    queryClient.clear();
    go(ownPath(next), { replace: true });
  }
  return (
    <Stack>
      <PageHeading title={words.signIn} lead={lead} />
      <SignInForm onDone={onDone} />
      {children}
    </Stack>
  );
}

/** A link to the sign-in page may come from anywhere: it leads to a page of ours or to the first. */
function ownPath(next: string): string {
  return /^\/(?![/\\])/.test(next) ? next : '/';
}

/** The page of `/sign-in`, of either application. */
export function signInPage(View: ComponentType<{ next: string }>): AnyPage {
  return definePage<Search>({
    path: '/sign-in',
    search: { next: text('/') },
    title: (language) => appWords[language].signIn,
    Page: ({ search }) => <View next={search.next} />,
  });
}
