import { Dialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/field.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './keys-dialog.module.css';
import type { NavItem } from './nav.ts';
import { usePreferences } from './preferences.tsx';
import { shellWords } from './shell-words.ts';

export default function KeysDialog({ pages, onClose }: { pages: readonly NavItem[]; onClose: () => void }) {
  const words = useWords(shellWords);
  const preferences = usePreferences();
  const keys: readonly (readonly [string, string])[] = [
    ['Ctrl K', words.keys.search],
    ['/', words.keys.search],
    ['?', words.keys.help],
    ['j', words.keys.down],
    ['k', words.keys.up],
    ['Enter', words.keys.open],
    ['Esc', words.keys.close],
    ...pages.flatMap(({ key, label }) =>
      key === undefined ? [] : [[`g ${key}`, words.goTo(label)] as const],
    ),
  ];
  return (
    <Dialog title={words.help} onClose={onClose}>
      <dl className={classes['keys']}>
        {keys.map(([key, what]) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label={words.singleKeys}
        checked={preferences.singleKeys}
        onChange={(singleKeys) => preferences.change({ singleKeys })}
      />
    </Dialog>
  );
}
