import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TemplatePreview } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useSettled } from '../../../../shared/app/use-settled.ts';
import type { Content } from './draft.ts';
import { type Located, locate } from './problem.ts';
import { previewQuery } from './queries.ts';
import type { JsonObject } from './variables.ts';

/** Renders a content with the test data, a moment after somebody typed. */
export interface PreviewState {
  /** The last that could be rendered; null: none yet. */
  readonly made: TemplatePreview | null;
  /** Why the content as it is now cannot be; where it says where. */
  readonly error: Error | null;
  readonly problem: Located | null;
  readonly isEmpty: boolean;
  readonly images: boolean;
  showImages(): void;
}

/** Debounce of rendering (ms). */
const PAUSE_MS = 350;

export function usePreview(content: Content, variables: JsonObject): PreviewState {
  const api = useApi();
  const [images, setImages] = useState(false);
  const asked = useSettled(content, PAUSE_MS);
  const { data, error } = useQuery(
    previewQuery(api, { content: asked, variables: useSettled(variables, PAUSE_MS), images }),
  );
  // A refusal has no data; what was made last stays in view.
  const last = useRef<TemplatePreview | null>(null);
  if (data !== undefined) last.current = data;
  return {
    made: last.current,
    error,
    problem: error === null ? null : locate(error),
    isEmpty: content.text === '' && content.html === '',
    images,
    showImages: () => setImages(true),
  };
}
