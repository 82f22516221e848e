import { lazy, Suspense } from 'react';
import { useMe } from '../../../../shared/app/me.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Accounts } from './accounts.tsx';
import classes from './page.module.css';
import { InThisBrowser, Profile } from './profile.tsx';
import { sessionsQuery } from './queries.ts';
import { Sessions } from './sessions.tsx';
import { SigningIn } from './signing-in.tsx';
import { youWords } from './words.ts';

const PasskeysSection = lazy(() => import('../../../../shared/app/passkeys-section.tsx'));

function YouPage() {
  const words = useWords(youWords);
  const { user } = useMe().session;
  return (
    <>
      <PageHeading title={words.title} lead={words.lead(user.email)} />
      <div className={classes['page']}>
        <Profile user={user} />
        <div className={classes['column']}>
          <SigningIn user={user} />
          <InThisBrowser />
        </div>
      </div>
      <div className={classes['lists']}>
        <Suspense fallback={<Skeleton rows={2} />}>
          <PasskeysSection path="/user/passkeys" />
        </Suspense>
        <Sessions />
        <Accounts />
      </div>
    </>
  );
}

export const page = definePage({
  path: '/you',
  search: {},
  title: (language) => youWords[language].title,
  queries: (api) => [sessionsQuery(api)],
  Page: YouPage,
});
