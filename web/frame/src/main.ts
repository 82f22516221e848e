/**
 * What runs in the frame that previews a template: it puts the page in that the editor hands it. What the
 * page may do is said by the policy of this frame's answer, and the server has rewritten it before.
 */
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
