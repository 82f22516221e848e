import type { TestService } from '../../support/service.ts';

/** Nobody is asked: the name does not resolve, and each request is seen before that. */
export const REMOTE = 'https://images.evil.test';
export const HTML = `<html><head><meta http-equiv="refresh" content="0;url=${REMOTE}/refresh">
  <link rel="stylesheet" href="${REMOTE}/style"><link rel="preconnect" href="${REMOTE}">
  <style>@import "${REMOTE}/import"; body { background: url(${REMOTE}/background) }</style>
  <script src="${REMOTE}/script"></script></head>
  <body onload="fetch('${REMOTE}/load')"><h1>Factura</h1><img src="cid:logo"><img src="${REMOTE}/image.png">
  <form action="${REMOTE}/form"><button autofocus>Pay</button></form>
  <iframe src="${REMOTE}/frame"></iframe><a href="${REMOTE}/link">here</a></body></html>`;
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Sends a message that would load, run and submit what it can; returns its id. */
export async function sendHostile(service: TestService): Promise<string> {
  const { body } = await service.send({
    html: HTML,
    text: 'Plain <b>text</b>',
    attachments: [{ filename: 'logo.png', content_type: 'image/png', content: PNG, content_id: 'logo' }],
  });
  return body.id;
}
