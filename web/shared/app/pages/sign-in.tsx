import { useQueryClient } from '@tanstack/react-query';
import { Link, useGo } from '../../routing/link.tsx';
import { definePage, type PageProps } from '../../routing/page.ts';
import { text } from '../../routing/search.ts';
import { PageHeading } from '../../ui/heading.tsx';
import { Stack } from '../../ui/layout.tsx';
import { useWords } from '../../words/use-words.ts';
import { SignInForm } from '../sign-in-form.tsx';

import { appWords } from '../words.ts';

interface Search {
  /** Where to afterwards. */
  readonly next: string;
}

function SignInPage({ search }: PageProps<Search>) {
  const words = useWords(appWords);
  const queryClient = useQueryClient();
  const go = useGo();
  function onDone() {
    queryClient.clear();
    go(ownPath(search.next), { replace: true });
  }
  return (
    <Stack>
      <PageHeading title={words.signIn} lead={words.signInLead} />
      <SignInForm onDone={onDone} />
      <p>
        <Link to="/reset">{words.forgot}</Link>
      </p>
    </Stack>
  );
}

/** A link to the sign-in page may come from anywhere: it leads to a page of ours or to the first. */
function ownPath(next: string): string {
  return /^\/(?![/\\])/.test(next) ? next : '/';
}

export const page = definePage<Search>({
  path: '/sign-in',
  search: { next: text('/') },
  title: (language) => appWords[language].signIn,
  Page: SignInPage,
});
