import { askPortal } from '../../shared/api/docs-run.ts';

/**
 * Runs an example in the reader's sandbox, as the person signed in to the portal: a session has each route of
 * the API below /v1/portal (docs/decisions/0021). Nothing is asked before the button is pressed, and an
 * account with real mail is never used.
 */

interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: string | undefined;
}

interface Account {
  readonly id: string;
  readonly name: string;
  readonly sandbox: boolean;
}

/** As the examples name the installation (server/src/surfaces/reference/document.ts). */
const REQUEST = /^curl -sS (?:-X (\w+) )?"\$ACUSE_URL\/v1(\/[^"$]*)"/;
const BODY = /-d '([\s\S]*)'$/;
/** The sender in the contract's examples. */
const EXAMPLE_SENDER = 'billing@example.com';
const RUN_LABEL = 'Run in sandbox';

export function addRunButtons(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure[data-run]')) {
    const code = figure.querySelector('code');
    if (code === null || callOf(code.textContent) === null) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = RUN_LABEL;
    const output = document.createElement('div');
    output.setAttribute('role', 'status');
    figure.after(output);
    button.addEventListener('click', async () => {
      button.disabled = true;
      button.textContent = 'Running…';
      output.replaceChildren(...(await run(code).catch(unreachable)));
      button.textContent = RUN_LABEL;
      button.disabled = false;
      button.focus({ preventScroll: true });
    });
    figure.querySelector('figcaption')?.append(button);
  }
}

/** Null: what is shown is no single request. */
function callOf(source: string): Call | null {
  const [, method, path] = REQUEST.exec(source) ?? [];
  if (path === undefined) return null;
  const body = BODY.exec(source)?.[1]?.replaceAll(`'\\''`, `'`);
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), path, body };
}

async function run(code: HTMLElement): Promise<readonly Node[]> {
  const account = await sandboxAccount();
  if (!('id' in account)) return [account.why];
  const call = callOf(code.textContent);
  if (call?.body !== undefined) await fillIn(account);
  const { method, path, body } = callOf(code.textContent)!;
  const response = await askPortal(path, {
    account: account.id,
    method,
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `docs-${crypto.randomUUID()}` },
      body,
    }),
  });
  return [answer(response.status, await response.text(), account)];
}

/** Puts the account's first sender that may send in place of the examples'. */
async function fillIn(account: Account): Promise<void> {
  const response = await askPortal('/senders?limit=100', { account: account.id });
  if (!response.ok) return;
  const { data } = (await response.json()) as { data: readonly { address: string; active: boolean }[] };
  const address = data.find(({ active }) => active)?.address;
  if (address === undefined) return;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const text = texts.currentNode as Text;
    if (text.parentElement?.closest('figure.sample') != null)
      text.data = text.data.replaceAll(EXAMPLE_SENDER, address);
  }
}

async function sandboxAccount(): Promise<Account | { readonly why: Node }> {
  const response = await askPortal('/session');
  if (response.status === 401)
    return { why: note([link('/portal', 'Sign in to the portal'), ' in another tab, then run this again.']) };
  if (!response.ok) return { why: note([`The portal answered ${response.status}. Try again later.`]) };
  const { accounts } = (await response.json()) as { accounts: readonly Account[] };
  const found = accounts.find(({ sandbox }) => sandbox);
  if (found !== undefined) return found;
  return {
    why: note(['Examples run in a sandbox account only, so that no real mail is sent. You have none here.']),
  };
}

function answer(status: number, text: string, account: Account): Node {
  const figure = document.createElement('figure');
  figure.className = 'sample';
  const caption = document.createElement('figcaption');
  caption.textContent = `Answer ${status}, as ${account.name}`;
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const code = document.createElement('code');
  code.textContent = pretty(text);
  pre.append(code);
  figure.append(caption, pre);
  return figure;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function unreachable(): readonly Node[] {
  return [note(['The service did not answer. Check that it runs, then try again.'])];
}

function note(parts: readonly (string | Node)[]): Node {
  const paragraph = document.createElement('p');
  paragraph.className = 'run-note';
  paragraph.append(...parts);
  return paragraph;
}

function link(href: string, text: string): Node {
  const anchor = document.createElement('a');
  anchor.href = href;
  anchor.target = '_blank';
  anchor.rel = 'noopener';
  anchor.textContent = text;
  return anchor;
}
