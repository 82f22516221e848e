import type { Operation } from './openapi.ts';

/** Works when pasted with ACUSE_URL and ACUSE_API_KEY. */
export function curlOf(method: string, path: string, operation: Operation): string {
  const query = (operation.parameters ?? []).filter(
    ({ in: place, required }) => place === 'query' && required,
  );
  const filled = (operation.parameters ?? [])
    .filter(({ in: place }) => place === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, encodePath(String(example))), path);
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&');
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}"$ACUSE_URL${filled}${search === '' ? '' : `?${search}`}"`,
  ];
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $ACUSE_API_KEY"');
  for (const { name, in: place, required, example } of operation.parameters ?? [])
    if (place === 'header' && required) lines.push(`-H ${quoted(`${name}: ${String(example)}`)}`);
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined) lines.push(`-H 'Content-Type: ${type}'`);
  if (body?.example !== undefined) lines.push(`-d ${quoted(JSON.stringify(body.example, null, 2))}`);
  else if (type !== undefined) lines.push('--data-binary @request');
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Slashes of a wildcard stay. */
function encodePath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}
