import { lazy, Suspense } from 'react';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { text } from '../../../../shared/routing/search.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { VerifyTabs } from '../../parts/verify-tabs.tsx';
import { verifyWords } from './words.ts';

const ById = lazy(() => import('./by-id.tsx'));
const ByFile = lazy(() => import('./by-file.tsx'));

interface Search {
  readonly message_id: string;
}

function VerifyPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(verifyWords);
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      <VerifyTabs current="verify" />
      <Suspense fallback={<Skeleton rows={8} />}>
        <Stack>
          <ById
            asked={search.message_id}
            onAsk={(message_id) => setSearch({ message_id }, { replace: true })}
          />
          <ByFile />
        </Stack>
      </Suspense>
    </>
  );
}

export const page = definePage<Search>({
  path: '/verify',
  search: { message_id: text() },
  title: (language) => verifyWords[language].title,
  Page: VerifyPage,
});
