import { Languages } from 'lucide-react';
import { Menu } from '../ui/menu.tsx';
import { useWords } from '../words/use-words.ts';
import { LANGUAGES } from '../words/words.ts';
import { usePreferences } from './preferences.tsx';
import { shellWords } from './shell-words.ts';

/** For those who are not signed in, and so have no menu of their own. */
export function LanguageMenu() {
  const words = useWords(shellWords);
  const preferences = usePreferences();
  const items = LANGUAGES.map((language) => ({
    label: words.languages[language],
    checked: preferences.language === language,
    onSelect: () => preferences.change({ language }),
  }));
  return <Menu kind="icon" icon={Languages} label={words.language} groups={[{ items }]} />;
}
