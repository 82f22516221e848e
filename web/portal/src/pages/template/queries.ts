import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { Template, TemplatePreview, TemplateVersionPage } from '../../../../shared/api/portal-types.ts';
import type { Content } from './draft.ts';
import type { JsonObject } from './variables.ts';

/** How often it is looked for what others save, while the page is visible (ms). */
const AGAIN_MS = 15_000;
const PAGE_ROWS = 50;

export function templateQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['templates', 'one', id],
    queryFn: ({ signal }) => api.call<Template>('GET', `/templates/${id}`, { signal }),
    refetchInterval: AGAIN_MS,
  });
}

/** `version`: the current one; a new one is a new list. */
export function versionsQuery(api: ApiClient, id: string, version: number) {
  return infiniteQueryOptions({
    queryKey: ['templates', 'versions', id, version],
    queryFn: ({ signal, pageParam }) =>
      api.call<TemplateVersionPage>('GET', `/templates/${id}/versions`, {
        query: { limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
}

export interface PreviewInput {
  readonly content: Content;
  readonly variables: JsonObject;
  readonly images: boolean;
}

/** A refusal keeps the last preview. */
export function previewQuery(api: ApiClient, { content, variables, images }: PreviewInput) {
  const { subject, text, html } = content;
  return queryOptions({
    queryKey: ['templates', 'preview', content, variables, images],
    queryFn: ({ signal }) =>
      api.call<TemplatePreview>('POST', '/templates/preview', {
        body: {
          subject,
          text: text === '' ? null : text,
          html: html === '' ? null : html,
          variables,
          images,
        },
        signal,
      }),
    enabled: text !== '' || html !== '',
    placeholderData: (known) => known,
    staleTime: Number.POSITIVE_INFINITY,
    // Each keystroke makes another.
    gcTime: 0,
  });
}
