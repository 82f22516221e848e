/**
 * How long the address of a file lives after the click, in milliseconds. Browsers begin a download some time
 * after the click has returned, later on a busy machine; an address that is gone by then downloads nothing
 * and tells nobody (Firefox bug 1282407; Chromium does the same now and then).
 */
export const ADDRESS_LIVES_MS = 40_000;

/** Hands a file that was made here to the reader. A stranger's name is made a safe one by the browser. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(content);
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_LIVES_MS);
}
