import { Link } from '../routing/link.tsx';
import { Hidden } from '../ui/hidden.tsx';
import { useWords } from '../words/use-words.ts';
import type { NavGroup, NavItem } from './nav.ts';
import classes from './shell.module.css';
import { shellWords } from './shell-words.ts';

/** The list of pages. */
export function Navigation({ nav, onGo }: { nav: readonly NavGroup[]; onGo?: () => void }) {
  const words = useWords(shellWords);
  return (
    <nav className={classes['nav']} aria-label={words.navigation}>
      <div className={classes['pages']}>
        {nav.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups never change places
          <div key={index}>
            {group.title !== undefined && <h2>{group.title}</h2>}
            <ul>
              {group.items.filter(isListed).map(({ to, label, icon: ItemIcon, waiting = 0 }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className={classes['link']}
                    exact={to === '/'}
                    {...(onGo && { onClick: onGo })}
                  >
                    <ItemIcon size={16} aria-hidden="true" />
                    {label}
                    {waiting > 0 && <Waiting count={waiting} />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

function Waiting({ count }: { count: number }) {
  const words = useWords(shellWords);
  return (
    <span className={classes['waiting']}>
      <span aria-hidden="true">{count}</span>
      <Hidden>{words.waiting(count)}</Hidden>
    </span>
  );
}

function isListed({ aside }: NavItem): boolean {
  return aside !== true;
}
