/** The sealing context of a log's secrets. */
export function secretContext(logId: string): string {
  return `log:${logId}`;
}
