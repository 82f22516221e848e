import { useEffect, useState } from 'react';

/** A phone, held upright. */
const NARROW = '(max-width: 30rem)';
/** Tables say the same in their styles. */
export const TABLE_NARROW = '(max-width: 56rem)';

export function useNarrow(query = NARROW): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = () => setNarrow(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [query]);
  return narrow;
}
