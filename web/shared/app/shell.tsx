import { LogOut, Menu as MenuIcon, Search, UserRound, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { ApiCall } from '../api/calls.ts';
import { Link, useGo } from '../routing/link.tsx';
import { Button } from '../ui/button.tsx';
import { CodeDrawer } from '../ui/code-drawer.tsx';
import { Menu, type MenuGroup } from '../ui/menu.tsx';
import { SealIcon } from '../ui/seal.tsx';
import { uiWords } from '../ui/words.ts';
import { useWords } from '../words/use-words.ts';
import { LANGUAGES } from '../words/words.ts';
import { useApi } from './api-context.tsx';
import { useKeys } from './keys.ts';
import type { Finding, NavGroup } from './nav.ts';
import { type Theme, usePreferences } from './preferences.tsx';
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
  /** Looks a text up in the application's data. */
  find(text: string, signal: AbortSignal): Promise<readonly Finding[]>;
  /** Which calls a program can make as well. */
  isPublic(call: ApiCall): boolean;
  readonly children: ReactNode;
}

const SearchDialog = lazy(() => import('./search-dialog.tsx'));
const KeysDialog = lazy(() => import('./keys-dialog.tsx'));

/** What stands around every page that needs a session. */
export function AppShell(props: ShellProps) {
  const { name, nav, account, find, children } = props;
  const words = useWords(shellWords);
  const [open, setOpen] = useState<'search' | 'keys' | 'nav' | null>(null);
  const go = useGo();
  const pages = nav.flatMap(({ items }) => items);
  const close = () => setOpen(null);
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
        <span className={classes['menuButton']}>
          <Button kind="icon" icon={MenuIcon} label={words.openNavigation} onClick={() => setOpen('nav')} />
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
        {account}
        <PersonMenu name={props.personName} own={props.own ?? []} onKeys={() => setOpen('keys')} />
      </header>
      <Navigation nav={nav} />
      <main id="main" className={classes['main']} tabIndex={-1}>
        <SessionEnding />
        <div className={classes['content']}>{children}</div>
        <div className={classes['tools']}>
          <CodeDrawer isShown={props.isPublic} />
        </div>
      </main>
      {open === 'nav' && <NavDrawer nav={nav} name={name} onClose={close} />}
      <Suspense>
        {open === 'search' && <SearchDialog pages={pages} find={find} onClose={close} />}
        {open === 'keys' && <KeysDialog pages={pages} onClose={close} />}
      </Suspense>
    </div>
  );
}

const SEARCH_KEYS = 'Ctrl K';

function Navigation({ nav, onGo }: { nav: readonly NavGroup[]; onGo?: () => void }) {
  const words = useWords(shellWords);
  return (
    <nav className={classes['nav']} aria-label={words.navigation}>
      {nav.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups never change places
        <div key={index}>
          {group.title !== undefined && <h2>{group.title}</h2>}
          <ul>
            {group.items.map(({ to, label, icon: ItemIcon }) => (
              <li key={to}>
                <Link to={to} className={classes['link']} exact={to === '/'} {...(onGo && { onClick: onGo })}>
                  <ItemIcon size={16} aria-hidden="true" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function NavDrawer({ nav, name, onClose }: { nav: readonly NavGroup[]; name: string; onClose: () => void }) {
  const words = useWords(shellWords);
  const closeWords = useWords(uiWords);
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} className={classes['drawer']} aria-label={words.navigation} onCancel={onClose}>
      <div className={classes['drawerHead']}>
        <span className={classes['brand']}>
          <SealIcon state="checked" size={20} />
          <span>{name}</span>
        </span>
        <Button kind="icon" icon={X} label={closeWords.close} onClick={onClose} />
      </div>
      <Navigation nav={nav} onGo={onClose} />
    </dialog>
  );
}

interface PersonMenuProps {
  readonly name: string;
  readonly own: readonly MenuGroup[];
  readonly onKeys: () => void;
}

function PersonMenu({ name, own, onKeys }: PersonMenuProps) {
  const words = useWords(shellWords);
  const api = useApi();
  const preferences = usePreferences();
  const themes: readonly Theme[] = ['system', 'light', 'dark'];
  async function signOut() {
    await api.call('DELETE', '/session', { unchallenged: true });
    location.reload();
  }
  const groups: MenuGroup[] = [
    ...own,
    { title: words.language, items: LANGUAGES.map((language) => languageItem(language)) },
    { title: words.theme, items: themes.map((theme) => themeItem(theme)) },
    {
      items: [
        { label: words.help, onSelect: onKeys },
        { label: words.signOut, icon: LogOut, onSelect: () => void signOut() },
      ],
    },
  ];
  function languageItem(language: (typeof LANGUAGES)[number]) {
    return {
      label: words.languages[language],
      checked: preferences.language === language,
      onSelect: () => preferences.change({ language }),
    };
  }
  function themeItem(theme: Theme) {
    return {
      label: words.themes[theme],
      checked: preferences.theme === theme,
      onSelect: () => preferences.change({ theme }),
    };
  }
  return <Menu kind="icon" icon={UserRound} label={`${words.you}: ${name}`} groups={groups} />;
}
