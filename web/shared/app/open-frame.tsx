import type { ReactNode } from 'react';
import { SealIcon } from '../ui/seal.tsx';
import { LanguageMenu } from './language-menu.tsx';
import classes from './open-frame.module.css';

/** Around the pages that need no session: a mark, the language, and one column. */
export function OpenPage({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes['frame']}>
      <header className={classes['bar']}>
        <span className={classes['brand']}>
          <SealIcon state="checked" size={20} />
          <span>{name}</span>
        </span>
        <LanguageMenu />
      </header>
      <main className={classes['main']}>{children}</main>
    </div>
  );
}
