/** Contents of certified messages that are in an archive and no longer in the database. */

export interface ArchivedContent {
  readonly raw: Buffer<ArrayBuffer>;
  readonly submission: Buffer<ArrayBuffer>;
}

export interface ArchivedContents {
  /**
   * As the manifest commits to it; null: it is in no archive, or was erased meanwhile. Throws unavailable
   * while the archive cannot be reached, or too many are read; EvidenceError for one that is damaged.
   */
  read(tenantId: string, messageId: string): Promise<ArchivedContent | null>;
}

export const ARCHIVED_NOTE =
  'With `Service-Content-Source: archive` the content came from the archive of its month, which takes longer; while that archive cannot be reached, 503.';

/** Header of an answer with a message's content. */
export function sourceHeader({ archived }: { readonly archived: boolean }): Record<string, string> {
  return archived ? { 'Service-Content-Source': 'archive' } : {};
}
