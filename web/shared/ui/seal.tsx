/** How far the evidence of a message is. */
export type SealState =
  /** Never certified. */
  | 'plain'
  /** Promised by a signature, not sealed yet. */
  | 'promised'
  | 'sealed'
  /** Sealed, and checked in this very browser. */
  | 'checked'
  /** This browser found that something of it is wrong. */
  | 'broken';

/** The mark of evidence: a diamond, filled once sealed, with a check or a cross once this browser looked. */
export function SealIcon({ state, size = 16 }: { state: SealState; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      {state === 'plain' ? (
        <path d="M4.5 8h7" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
      ) : (
        <path
          d="M8 1.2 14.8 8 8 14.8 1.2 8z"
          fill={state === 'promised' ? 'none' : 'currentColor'}
          stroke="currentColor"
          strokeWidth="1.4"
          strokeLinejoin="round"
        />
      )}
      {(state === 'checked' || state === 'broken') && (
        <path
          d={state === 'checked' ? 'm5.3 8.2 1.9 1.9 3.5-4' : 'm6 6 4 4m0-4-4 4'}
          stroke="var(--paper)"
          strokeWidth="1.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
    </svg>
  );
}
