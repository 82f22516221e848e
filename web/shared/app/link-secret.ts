import { useEffect, useState } from 'react';

/**
 * The secret of a one-time link, which stands in the fragment so that no server and no log sees it. It leaves
 * the address, and with it the browser's history, at once.
 */
export function useLinkSecret(): string {
  const [secret] = useState(() => decodeURIComponent(location.hash.slice(1)));
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }, []);
  return secret;
}
