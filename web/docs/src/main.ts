import { addCopyButtons } from './copy.ts';
import { addLanguageTabs } from './languages.ts';
import { addRunButtons } from './run.ts';
import { openSearchWith } from './search.ts';

/** Enhancements of the pages of /docs: tabs, buttons that copy and run, search, a menu that closes. */

addLanguageTabs();
addCopyButtons();
addRunButtons();
openSearchWith(document.querySelector<HTMLButtonElement>('[data-search]'));

/** A link into the open page leaves the menu open otherwise, above what it leads to. */
const menu = document.getElementById('menu');
menu?.addEventListener('click', (event) => {
  if ((event.target as Element).closest('a') !== null && menu.matches(':popover-open')) menu.hidePopover();
});
/** Where people are in a long menu. */
menu?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
if (location.hash === '') scrollTo(0, 0);
else document.getElementById(location.hash.slice(1))?.scrollIntoView();
/** Scrollable boxes must be reachable by keyboard. */
for (const box of document.querySelectorAll<HTMLElement>('pre, .wide'))
  if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
