/** Milliseconds that a button says that it has copied. */
const SAID_MS = 1_500;

/** A button on each block of code, and on each heading one that copies its link. */
export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.sample')) {
    const text = () => figure.querySelector('code')?.textContent ?? '';
    figure.querySelector('figcaption')?.append(copyButton('Copy', text));
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>('h2 > .anchor, h3 > .anchor')) {
    const button = copyButton('Copy link', () => link.href);
    button.setAttribute('aria-label', `Copy link to “${link.textContent}”`);
    link.after(button);
  }
}

function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = label;
  button.addEventListener('click', async () => {
    button.textContent = (await copied(text())) ? 'Copied' : 'Press Ctrl-C';
    setTimeout(() => {
      button.textContent = label;
    }, SAID_MS);
  });
  return button;
}

/** Plain http to another host has no clipboard: then what was to be copied is selected. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
