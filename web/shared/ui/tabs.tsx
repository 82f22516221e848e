import { Link, useGo } from '../routing/link.tsx';
import { useWords } from '../words/use-words.ts';
import { SelectField } from './field.tsx';
import classes from './tabs.module.css';
import { uiWords } from './words.ts';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly to: string;
}

/** Parts of a page that have addresses of their own; on a small screen a list to choose from. */
export function Tabs({ tabs, current, label }: { tabs: readonly Tab[]; current: string; label?: string }) {
  const words = useWords(uiWords);
  const go = useGo();
  return (
    <>
      <nav className={classes['tabs']} aria-label={label ?? words.tabs}>
        {tabs.map(({ id, label: name, to }) => (
          <TabLink key={id} to={to} current={id === current} name={name} />
        ))}
      </nav>
      <div className={classes['select']}>
        <SelectField
          label={label ?? words.tabs}
          value={current}
          choices={tabs.map(({ id, label: name }) => ({ value: id, label: name }))}
          onChange={(id) => go(tabs.find((tab) => tab.id === id)!.to)}
        />
      </div>
    </>
  );
}

function TabLink({ to, current, name }: { to: string; current: boolean; name: string }) {
  return (
    <Link to={to} className={classes['tab']} current={current} exact replace>
      {name}
    </Link>
  );
}
