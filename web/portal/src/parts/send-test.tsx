import { lazy, Suspense } from 'react';

const Dialog = lazy(() => import('./send-test-dialog.tsx'));

/** The form that sends a test message; leads to the message. */
export function SendTest({ onClose }: { onClose: () => void }) {
  return (
    <Suspense>
      <Dialog onClose={onClose} />
    </Suspense>
  );
}
