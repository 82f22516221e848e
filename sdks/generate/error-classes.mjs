// The classes of refusals: by their status, and 429 by its code. A status of 500 or more without a class is a
// Server's, any other is the error of the API itself.

/** @typedef {{name: string, statuses: number[], doc: string, code?: string, parent?: string}} ErrorClass */

/** @type {ErrorClass[]} in the order in which they are tried */
export const ERROR_CLASSES = [
  { name: 'InvalidRequest', statuses: [400, 405, 408, 413, 415], doc: 'The request is malformed' },
  { name: 'Authentication', statuses: [401], doc: 'The API key is missing or unknown' },
  { name: 'Permission', statuses: [403], doc: 'The API key may not do this' },
  { name: 'NotFound', statuses: [404], doc: 'No such resource in this account' },
  { name: 'Conflict', statuses: [409], doc: 'The state of the resource does not allow it now' },
  { name: 'Refused', statuses: [422], doc: 'Understood and refused' },
  { name: 'QuotaExceeded', statuses: [429], code: 'quota_exceeded', doc: 'The monthly quota is used up' },
  { name: 'RateLimited', statuses: [429], doc: 'Too many requests' },
  { name: 'Unavailable', statuses: [503], parent: 'Server', doc: 'The server is not available' },
  { name: 'Server', statuses: [], doc: 'The server failed' },
];

/** The statuses or codes of an error class, for its comment: `400, 405, 408, 413 or 415`. */
export function toldBy({ statuses, code }) {
  if (statuses.length === 0) return '5xx';
  const told = statuses.join(', ').replace(/, (\d+)$/, ' or $1');
  return code === undefined ? told : `${told} ${code}`;
}
