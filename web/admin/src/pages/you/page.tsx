import { useMemo } from 'react';
import { useMe } from '../../../../shared/app/me.tsx';
import { type Own, OwnProvider } from '../../../../shared/app/you/own.ts';
import { OwnParts } from '../../../../shared/app/you/parts.tsx';
import { sessionsQuery } from '../../../../shared/app/you/queries.ts';
import { youWords } from '../../../../shared/app/you/words.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { operatorWords } from './words.ts';

function YouPage() {
  const words = useWords(youWords);
  const { factorNeeded } = useWords(operatorWords);
  const { session } = useMe();
  const { user, second_factor_required: isNeeded = false } = session;
  const own = useMemo<Own>(
    () => ({ path: '/operator', factorNeeded: isNeeded ? factorNeeded : null }),
    [isNeeded, factorNeeded],
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead(user.email)} />
      <OwnProvider value={own}>
        <OwnParts user={user} />
      </OwnProvider>
    </>
  );
}

export const page = definePage({
  path: '/you',
  search: {},
  title: (language) => youWords[language].title,
  queries: (api) => [sessionsQuery(api, '/operator')],
  Page: YouPage,
});
