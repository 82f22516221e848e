/** What a log's secrets are sealed for. */
export function secretContext(logId: string): string {
  return `log:${logId}`;
}
