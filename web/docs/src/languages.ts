/**
 * Tabs for the language of the examples. The choice holds for every example of the page, is remembered, and
 * is in the page's address, so that a link shows what its sender saw: ?lang=python.
 */

const PARAMETER = 'lang';
/** In the browser's storage, which the portal shares. */
const KEPT_AS = 'acuse.code';

interface Tab {
  readonly lang: string;
  readonly button: HTMLButtonElement;
  readonly panel: HTMLElement;
}

/** Gives each group of examples its tabs: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export function addLanguageTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('[data-code]')].map(tabsOf);
  const known = new Set(groups.flat().map(({ lang }) => lang));
  const wanted = [new URLSearchParams(location.search).get(PARAMETER), kept()];
  const show = (lang: string) => {
    for (const tabs of groups) select(tabs, lang);
  };
  const choose = (tab: Tab) => {
    const before = tab.button.getBoundingClientRect().top;
    show(tab.lang);
    // The examples above may have become longer or shorter: what was pressed stays where it is.
    scrollBy({ top: tab.button.getBoundingClientRect().top - before, behavior: 'instant' });
    keep(tab.lang);
  };
  for (const tabs of groups) listen(tabs, choose);
  const chosen = wanted.find((each) => each !== null && known.has(each)) ?? groups[0]?.[0]?.lang;
  if (chosen !== undefined) show(chosen);
}

let made = 0;

function tabsOf(group: HTMLElement): Tab[] {
  const list = document.createElement('div');
  list.className = 'languages';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = [...group.querySelectorAll<HTMLElement>('[data-lang]')].map((each) => {
    const figure = each.querySelector('figure')!;
    const panel = document.createElement('div');
    panel.append(figure);
    each.replaceWith(panel);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = figure.querySelector('figcaption')?.firstChild?.textContent ?? '';
    made += 1;
    connect(button, panel, made);
    list.append(button);
    return { lang: each.dataset['lang']!, button, panel };
  });
  group.prepend(list);
  return tabs;
}

function connect(button: HTMLButtonElement, panel: HTMLElement, number: number): void {
  button.id = `language-${number}`;
  panel.id = `code-${number}`;
  button.setAttribute('role', 'tab');
  button.setAttribute('aria-controls', panel.id);
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', button.id);
}

function select(tabs: readonly Tab[], lang: string): void {
  const chosen = tabs.find((tab) => tab.lang === lang) ?? tabs[0];
  for (const tab of tabs) {
    tab.button.setAttribute('aria-selected', String(tab === chosen));
    tab.button.tabIndex = tab === chosen ? 0 : -1;
    tab.panel.hidden = tab !== chosen;
  }
}

function listen(tabs: readonly Tab[], choose: (tab: Tab) => void): void {
  for (const [at, tab] of tabs.entries()) {
    tab.button.addEventListener('click', () => choose(tab));
    tab.button.addEventListener('keydown', (event) => {
      const next = {
        ...{ ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length },
        ...{ Home: 0, End: tabs.length - 1 },
      }[event.key];
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const to = tabs[next % tabs.length]!;
      choose(to);
      to.button.focus({ preventScroll: true });
    });
  }
}

/** Null: nothing was chosen, or the browser keeps nothing. */
function kept(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

function keep(lang: string): void {
  const address = new URL(location.href);
  address.searchParams.set(PARAMETER, lang);
  history.replaceState(history.state, '', address);
  try {
    localStorage.setItem(KEPT_AS, lang);
  } catch {
    // Then it holds for this page, and for its address.
  }
}
