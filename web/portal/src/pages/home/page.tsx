import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { homeWords } from './words.ts';

function HomePage() {
  const words = useWords(homeWords);
  return <PageHeading title={words.title} />;
}

export const page = definePage({
  path: '/',
  search: {},
  title: (language) => homeWords[language].title,
  Page: HomePage,
});
