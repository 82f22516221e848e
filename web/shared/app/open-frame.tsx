import { Languages } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu } from '../ui/menu.tsx';
import { SealIcon } from '../ui/seal.tsx';
import { useWords } from '../words/use-words.ts';
import { LANGUAGES } from '../words/words.ts';
import classes from './open-frame.module.css';
import { usePreferences } from './preferences.tsx';
import { shellWords } from './shell-words.ts';

/** Around the pages that need no session: a mark, the language, and one column. */
export function OpenPage({ name, children }: { name: string; children: ReactNode }) {
  const words = useWords(shellWords);
  const preferences = usePreferences();
  const languages = LANGUAGES.map((language) => ({
    label: words.languages[language],
    checked: preferences.language === language,
    onSelect: () => preferences.change({ language }),
  }));
  return (
    <div className={classes['frame']}>
      <header className={classes['bar']}>
        <span className={classes['brand']}>
          <SealIcon state="checked" size={20} />
          <span>{name}</span>
        </span>
        <Menu kind="icon" icon={Languages} label={words.language} groups={[{ items: languages }]} />
      </header>
      <main className={classes['main']}>{children}</main>
    </div>
  );
}
