import MiniSearch, { type SearchResult } from 'minisearch';
import { readSearchIndex, type SearchEntry } from '../../shared/api/docs-index.ts';

/**
 * Search over all pages, in the browser: the index comes from the same server at the first search, and no
 * request is made for a query.
 */

const RESULTS_MAX = 20;
/** Characters of a hit's text that are shown. */
const EXCERPT_CHARS = 120;

type Index = MiniSearch<SearchEntry & { id: number }>;
let index: Promise<Index> | undefined;

function loadIndex(): Promise<Index> {
  index ??= readSearchIndex().then((entries) => {
    const made: Index = new MiniSearch({
      fields: ['title', 'text', 'words'],
      storeFields: ['href', 'title', 'kind', 'page', 'text'],
      tokenize: wordsOf,
      searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
    });
    made.addAll(entries.map((entry, id) => ({ ...entry, id })));
    return made;
  });
  // The next search tries again.
  index.catch(() => {
    index = undefined;
  });
  return index;
}

/** Names of the API are found whole and by their parts: recipient_suppressed, sendMessage. */
function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).flatMap((word) => {
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u);
    return parts.length > 1 ? [word, ...parts] : parts;
  });
}

/** Shows the button, and opens the dialog by it, by `/` and by Ctrl-K. */
export function openSearchWith(button: HTMLButtonElement | null): void {
  if (button === null) return;
  const dialog = createDialog();
  button.hidden = false;
  button.addEventListener('click', () => dialog.open());
  document.addEventListener('keydown', (event) => {
    const typing = (event.target as Element).matches?.('input, textarea, select');
    const wanted = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!wanted && (event.key !== '/' || typing || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    dialog.open();
  });
}

function createDialog(): { open(): void } {
  const dialog = make('dialog', 'search');
  dialog.setAttribute('aria-label', 'Search the documentation');
  const input = make('input', '');
  const list = make('ul', '');
  const status = make('p', 'note');
  list.id = 'hits';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Results');
  status.setAttribute('aria-live', 'polite');
  const attributes = {
    type: 'text',
    placeholder: 'Search operations, errors, guides',
    autocomplete: 'off',
  };
  const combobox = {
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'hits',
    'aria-label': 'Search',
  };
  for (const [name, value] of Object.entries({ ...attributes, ...combobox })) input.setAttribute(name, value);
  dialog.append(input, status, list);
  document.body.append(dialog);

  let chosen = 0;
  const choose = (at: number) => {
    const options = [...list.children];
    chosen = Math.max(0, Math.min(at, options.length - 1));
    for (const [place, option] of options.entries())
      option.setAttribute('aria-selected', String(place === chosen));
    const option = options[chosen];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
    option?.scrollIntoView({ block: 'nearest' });
  };
  const search = async () => {
    const query = input.value.trim();
    try {
      const found = (await loadIndex()).search(query).slice(0, RESULTS_MAX);
      if (query !== input.value.trim()) return;
      list.replaceChildren(...found.map((hit, at) => hitElement(hit, at)));
      status.textContent = saidOf(query, found.length);
    } catch {
      status.textContent = 'The index could not be loaded. Type again to retry.';
    }
    choose(0);
  };
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      choose(chosen + step);
    } else if (event.key === 'Enter') list.children[chosen]?.querySelector('a')?.click();
    else if (event.key === 'Escape') dialog.close();
  });
  dialog.addEventListener('click', (event) => {
    // A hit on the open page changes its fragment only; a click beside the dialog is on the dialog itself.
    if (event.target === dialog || (event.target as Element).closest('a') !== null) dialog.close();
  });
  return {
    open() {
      if (!dialog.open) dialog.showModal();
      input.select();
      void loadIndex().catch(() => {});
    },
  };
}

function saidOf(query: string, hits: number): string {
  if (query === '') return '';
  if (hits === 0) return `Nothing matches “${query}”.`;
  return `${hits === RESULTS_MAX ? `First ${hits}` : hits} ${hits === 1 ? 'result' : 'results'} for “${query}”`;
}

function hitElement(hit: SearchResult, at: number): HTMLElement {
  const item = make('li', '');
  item.id = `hit-${at}`;
  item.setAttribute('role', 'option');
  const link = make('a', '');
  link.href = hit['href'] as string;
  link.tabIndex = -1;
  const title = make('b', '', hit['title'] as string);
  if (hit['page'] !== undefined) title.append(make('small', '', ` ${hit['page']}`));
  link.append(
    make('span', 'kind', hit['kind'] as string),
    title,
    make('span', 'excerpt', excerptOf(hit['text'] as string, hit.terms)),
  );
  item.append(link);
  return item;
}

/** The part of the text that has the first word that matched. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - EXCERPT_CHARS / 4);
  const from = places.length === 0 || start < EXCERPT_CHARS / 4 ? 0 : text.indexOf(' ', start) + 1;
  const cut = text.slice(from, from + EXCERPT_CHARS);
  return `${from > 0 ? '… ' : ''}${cut}${from + EXCERPT_CHARS < text.length ? ' …' : ''}`;
}

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.textContent = text;
  return element;
}
