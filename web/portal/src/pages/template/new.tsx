import { lazy, Suspense } from 'react';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Actions } from './actions.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { type Search, searchSchema } from './search.ts';
import { useTestData } from './test-data.ts';
import { useEditing } from './use-editing.ts';
import { templateWords } from './words.ts';

const Editor = lazy(() => import('./editor.tsx'));

function NewTemplatePage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(templateWords);
  const editing = useEditing(null);
  const data = useTestData(null, []);
  return (
    <>
      <LeaveGuard editing={editing} />
      <PageHeading
        title={words.newTitle}
        lead={words.newLead}
        actions={<Actions editing={editing} data={data} template={null} setSearch={setSearch} />}
      />
      <Suspense fallback={<Skeleton rows={10} />}>
        <Editor editing={editing} data={data} search={search} setSearch={setSearch} />
      </Suspense>
    </>
  );
}

export const page = definePage<Search>({
  path: '/templates/new',
  search: searchSchema,
  title: (language) => templateWords[language].newTitle,
  Page: NewTemplatePage,
});
