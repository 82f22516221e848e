/** Puts the editor's page into the preview frame, whose policy limits it. */
addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  if (source === parent && typeof data === 'string') show(data);
});
parent.postMessage('ready', '*');

function show(page: string): void {
  const top = scrollY;
  const made = new DOMParser().parseFromString(page, 'text/html');
  document.replaceChild(document.adoptNode(made.documentElement), document.documentElement);
  // Whoever edits the end of a long page looks at its end.
  scrollTo(0, top);
}
