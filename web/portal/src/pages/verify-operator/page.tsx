import { lazy, Suspense } from 'react';
import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { VerifyTabs } from '../../parts/verify-tabs.tsx';
import { operatorWords } from './words.ts';

const Look = lazy(() => import('./look.tsx'));

function VerifyOperatorPage() {
  const words = useWords(operatorWords);
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      <VerifyTabs current="operator" />
      <Suspense fallback={<Skeleton rows={10} />}>
        <Look />
      </Suspense>
    </>
  );
}

export const page = definePage({
  path: '/verify/operator',
  search: {},
  title: (language) => operatorWords[language].title,
  Page: VerifyOperatorPage,
});
