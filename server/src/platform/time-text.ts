let lastMs = Number.NaN;
let lastText = '';

/** ISO 8601 in UTC, as toISOString writes it: that is dear, and one time is often asked for again at once. */
export function timeText(time: Date): string {
  const ms = time.getTime();
  if (ms !== lastMs) {
    lastText = time.toISOString();
    lastMs = ms;
  }
  return lastText;
}
