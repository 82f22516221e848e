import { lazy, type ReactNode, Suspense } from 'react';
import { SealIcon } from '../ui/seal.tsx';
import classes from './open-frame.module.css';

const LanguageMenu = lazy(() => import('./language-menu.tsx'));

/** Around the pages that need no session: a mark, the language, and one column. */
export function OpenPage({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes['frame']}>
      <header className={classes['bar']}>
        <span className={classes['brand']}>
          <SealIcon state="checked" size={20} />
          <span>{name}</span>
        </span>
        <Suspense>
          <LanguageMenu />
        </Suspense>
      </header>
      <main className={classes['main']}>{children}</main>
    </div>
  );
}
