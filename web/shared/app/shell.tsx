import { useLocation } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, useGo } from '../routing/link.tsx';
import { Button } from '../ui/button.tsx';
import { type CodeDialogOf, CodeDrawer } from '../ui/code-drawer.tsx';
import type { MenuGroup } from '../ui/menu.tsx';
import { PartContext } from '../ui/part.ts';
import { SealIcon } from '../ui/seal.tsx';
import { useWords } from '../words/use-words.ts';
import { useKeys } from './keys.ts';
import type { Findings, NavGroup, NavItem } from './nav.ts';
import { Navigation } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';
import { SessionEnding } from './session-ending.tsx';
import classes from './shell.module.css';
import { shellWords } from './shell-words.ts';

export interface ShellProps {
  /** Next to the mark: which application it is. */
  readonly name: string;
  readonly nav: readonly NavGroup[];
  /** At the right end of the bar: the account. */
  readonly account?: ReactNode;
  /** Groups of the menu of the person, besides language, theme and signing out. */
  readonly own?: readonly MenuGroup[];
  readonly personName: string;
  /** Where the person's language is kept: `/user`. */
  readonly ownPath: string;
  /** Looks a text up in the application's data. */
  find(text: string, signal: AbortSignal): Promise<Findings>;
  /** Shows what the page did as code; loaded when it is opened. */
  readonly CodeDialog: CodeDialogOf;
  readonly children: ReactNode;
}

const SearchDialog = lazy(() => import('./search-dialog.tsx'));
const NavDrawer = lazy(() => import('./nav-drawer.tsx'));
const KeysDialog = lazy(() => import('./keys-dialog.tsx'));

export function AppShell(props: ShellProps) {
  const { name, nav, account, find, children } = props;
  const words = useWords(shellWords);
  const [open, setOpen] = useState<'search' | 'keys' | 'nav' | null>(null);
  const go = useGo();
  const pages = nav.flatMap(({ items }) => items);
  const waiting = pages.reduce((sum, page) => sum + (page.waiting ?? 0), 0);
  const close = () => setOpen(null);
  const nameHere = useNameHere(pages);
  useKeys({
    search: () => setOpen('search'),
    help: () => setOpen('keys'),
    goTo: Object.fromEntries(
      pages.flatMap(({ key, to }) => (key === undefined ? [] : [[key, () => go(to)]])),
    ),
  });
  return (
    <div className={classes['shell']}>
      <a className={classes['skip']} href="#main">
        {words.skip}
      </a>
      <header className={classes['bar']}>
        <span className={classes['menuButton']} data-waiting={waiting > 0 || undefined}>
          <Button
            kind="icon"
            icon={MenuIcon}
            label={waiting > 0 ? words.openNavigationTo(waiting) : words.openNavigation}
            onClick={() => setOpen('nav')}
          />
        </span>
        <Link to="/" className={classes['brand']} exact>
          <SealIcon state="checked" size={20} />
          <span>{name}</span>
        </Link>
        <button type="button" className={classes['search']} onClick={() => setOpen('search')}>
          <Search size={16} aria-hidden="true" />
          <span>{words.search}</span>
          <kbd>{SEARCH_KEYS}</kbd>
        </button>
        <span className={classes['menus']}>
          <Suspense>{account}</Suspense>
          <PersonMenu
            name={props.personName}
            own={props.own ?? []}
            ownPath={props.ownPath}
            onKeys={() => setOpen('keys')}
          />
        </span>
      </header>
      <Navigation nav={nav} />
      <main id="main" className={classes['main']} tabIndex={-1}>
        <SessionEnding />
        <div className={classes['content']}>
          <PartContext value={nameHere}>{children}</PartContext>
        </div>
        <div className={classes['tools']}>
          <CodeDrawer Dialog={props.CodeDialog} />
        </div>
      </main>
      <Suspense>
        {open === 'nav' && <NavDrawer nav={nav} name={name} onClose={close} />}
        {open === 'search' && <SearchDialog pages={pages} find={find} onClose={close} />}
        {open === 'keys' && <KeysDialog pages={pages} onClose={close} />}
      </Suspense>
    </div>
  );
}

/** Name of the page at this address, until it has loaded and names itself. */
function useNameHere(pages: readonly NavItem[]): string | null {
  const { pathname } = useLocation();
  const above = pages.filter(({ to }) => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`)));
  return above.sort((a, b) => b.to.length - a.to.length)[0]?.label ?? null;
}

const SEARCH_KEYS = 'Ctrl K';
