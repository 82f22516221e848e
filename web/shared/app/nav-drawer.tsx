import { X } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { SealIcon } from '../ui/seal.tsx';
import { useModal } from '../ui/use-modal.ts';
import { uiWords } from '../ui/words.ts';
import { useWords } from '../words/use-words.ts';
import type { NavGroup } from './nav.ts';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { shellWords } from './shell-words.ts';

/** The list of pages on a small screen. */
export default function NavDrawer({
  nav,
  name,
  onClose,
}: {
  nav: readonly NavGroup[];
  name: string;
  onClose: () => void;
}) {
  const words = useWords(shellWords);
  const closeWords = useWords(uiWords);
  const { ref: element, ...closing } = useModal(onClose);
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    return () => dialog?.close();
  }, [element]);
  return (
    <dialog ref={element} className={classes['drawer']} aria-label={words.navigation} {...closing}>
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
