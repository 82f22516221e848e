import { lazy, Suspense } from 'react';
import type { TestTemplate } from './send-start.ts';

const Dialog = lazy(() => import('./send-test-dialog.tsx'));
const TemplateDialog = lazy(() => import('./send-template-dialog.tsx'));

interface Props {
  readonly template?: TestTemplate;
  readonly onClose: () => void;
}

/** The form that sends a test message; leads to the message. */
export function SendTest({ template, onClose }: Props) {
  return (
    <Suspense>
      {template === undefined ? (
        <Dialog onClose={onClose} />
      ) : (
        <TemplateDialog template={template} onClose={onClose} />
      )}
    </Suspense>
  );
}
