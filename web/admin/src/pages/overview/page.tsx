import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { overviewWords } from './words.ts';

function OverviewPage() {
  const words = useWords(overviewWords);
  return <PageHeading title={words.title} />;
}

export const page = definePage({
  path: '/',
  search: {},
  title: (language) => overviewWords[language].title,
  Page: OverviewPage,
});
