/** Room for a request's head (bytes). */
const HEAD_BYTES_MAX = 65_536;

/**
 * Reads the requests of one connection. `onHead` is told `{method, target, headers}` and returns how many
 * bytes of the body it wants before it acts (null: the whole of it); `onRequest` then gets head and body, and
 * reading goes on when its promise is kept.
 */
export function readRequests(socket, onHead, onRequest) {
  let buffer = Buffer.alloc(0);
  let head = null;
  let busy = false;
  let ended = false;
  let bodyBytes = 0;
  let pieces = [];

  const advance = async () => {
    if (busy || ended) return;
    busy = true;
    try {
      while (!ended && (await step()));
    } finally {
      busy = false;
    }
  };

  async function step() {
    if (head === null) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end === -1) {
        if (buffer.length > HEAD_BYTES_MAX) socket.destroy();
        return false;
      }
      head = parseHead(buffer.subarray(0, end).toString('latin1'));
      buffer = buffer.subarray(end + 4);
      pieces = [buffer];
      bodyBytes = buffer.length;
      head.wanted = onHead(head);
      if (head.headers.expect === '100-continue') socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    }
    const enough = head.wanted ?? head.length;
    if (bodyBytes < Math.min(enough, head.length)) return false;
    const whole = Buffer.concat(pieces);
    const request = { ...head, body: whole.subarray(0, head.length) };
    buffer = whole.subarray(Math.min(head.length, whole.length));
    head = null;
    pieces = [buffer];
    await onRequest(request, buffer);
    return true;
  }

  socket.on('data', (chunk) => {
    if (head === null) buffer = Buffer.concat([buffer, chunk]);
    else pieces.push(chunk);
    bodyBytes += chunk.length;
    void advance();
  });
  return {
    /** The bytes belong to somebody else from here on. */
    detach() {
      ended = true;
      socket.removeAllListeners('data');
    },
  };
}

function parseHead(text) {
  const [first, ...lines] = text.split('\r\n');
  const [method, target] = first.split(' ');
  const headers = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  if (headers['transfer-encoding'] !== undefined) throw new Error('a request of unknown length');
  return { method, target, headers, length: Number(headers['content-length'] ?? 0) };
}
