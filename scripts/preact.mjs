/**
 * Stands in for React in everything that browsers load: Preact does for our pages what React does, in a
 * tenth of the bytes (docs/decisions/0025). Sources and libraries import React, whose types they are written
 * in. Name → what it becomes.
 */
export const PREACT_FOR_REACT = {
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  'react/jsx-runtime': 'preact/jsx-runtime',
  react: 'preact/compat',
};
