/** One URL per host, in order. Undefined: not a PostgreSQL URL. */
export function hostUrls(url: string): string[] | undefined {
  const start = /^postgres(?:ql)?:\/\//.exec(url)?.[0];
  if (start === undefined || url.includes('#')) return undefined;
  const end = indexOr(url, /[/?]/g, start.length);
  const at = url.lastIndexOf('@', end - 1) + 1;
  const login = at > start.length ? url.slice(start.length, at) : '';
  const authority = url.slice(start.length + login.length, end);
  const question = indexOr(url, /\?/g, end);
  const path = url.slice(end, question);
  const query = url.slice(question + 1);
  const parameters = new URLSearchParams(query);
  // Our own choice of the primary replaces it.
  const wanted = parameters.get('target_session_attrs');
  if (wanted !== null && !PRIMARY_WANTED.has(wanted)) return undefined;
  parameters.delete('target_session_attrs');
  const places = placesOf(authority, parameters);
  if (places === undefined) return undefined;
  return places.map(({ host, socket, port }) => {
    const own = new URLSearchParams(parameters);
    if (socket !== null) own.set('host', socket);
    if (port !== null) own.set('port', port);
    // With a single host the URL stays as it was written.
    const after = places.length === 1 && wanted === null ? query : own.toString();
    return `${start}${login}${host}${path}${after === '' ? '' : `?${after}`}`;
  });
}

function indexOr(text: string, expression: RegExp, from: number): number {
  expression.lastIndex = from;
  return expression.exec(text)?.index ?? text.length;
}

const PRIMARY_WANTED = new Set(['any', 'primary', 'read-write']);

interface Place {
  readonly host: string;
  /** From the query: a folder of sockets, or a host name. */
  readonly socket: string | null;
  readonly port: string | null;
}

function placesOf(authority: string, parameters: URLSearchParams): Place[] | undefined {
  const sockets = parameters.get('host')?.split(',') ?? [];
  if (sockets.length < 2)
    return authority.split(',').map((host) => ({ host, socket: sockets[0] ?? null, port: null }));
  const ports = parameters.get('port')?.split(',') ?? [];
  if (authority.includes(',') || (ports.length > 1 && ports.length !== sockets.length)) return undefined;
  return sockets.map((socket, at) => ({ host: authority, socket, port: ports[at] ?? ports[0] ?? null }));
}
