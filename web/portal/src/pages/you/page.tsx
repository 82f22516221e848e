import { useMe } from '../../../../shared/app/me.tsx';
import { OwnParts } from '../../../../shared/app/you/parts.tsx';
import { sessionsQuery } from '../../../../shared/app/you/queries.ts';
import { youWords } from '../../../../shared/app/you/words.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Accounts } from './accounts.tsx';

function YouPage() {
  const words = useWords(youWords);
  const { user } = useMe().session;
  return (
    <>
      <PageHeading title={words.title} lead={words.lead(user.email)} />
      <OwnParts user={user}>
        <Accounts />
      </OwnParts>
    </>
  );
}

export const page = definePage({
  path: '/you',
  search: {},
  title: (language) => youWords[language].title,
  queries: (api) => [sessionsQuery(api, '/user')],
  Page: YouPage,
});
