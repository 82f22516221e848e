// Requests to a large account: every list with every filter, filters in pairs, and what the portal
// shows.
import { pathsOf as listsOf } from './lists.mjs';
import { BUSY, NEEDLE } from './scale-rows.mjs';

/** One of each kind, most of them rare: a page that finds nothing looks at most. */
const FILTERS = {
  status: 'status=cancelled',
  'often status': 'status=sent',
  certified: 'certified=true',
  sealed: 'sealed=true',
  unsealed: 'sealed=false',
  bounce: 'bounce_type=policy',
  from: 'from=nobody@sandbox.test',
  to: `to=${BUSY}`,
  domain: 'to=nobody.example',
  subject: `subject=${NEEDLE}`,
  tag: `tag=${NEEDLE}`,
  metadata: `metadata_key=${NEEDLE}`,
};

export function pathsOf(known) {
  const monthAgo = new Date(Date.now() - 29 * 86_400_000).toISOString();
  const all = Object.entries({
    ...FILTERS,
    template: `template_id=${known.oldest}`,
    time: `created_before=${monthAgo}`,
  });
  const pairs = all.flatMap(([name, filter], at) =>
    all
      .slice(at + 1)
      .filter(([other]) => !bothOf('status', name, other) && !bothOf('sealed', name, other))
      .filter(([other]) => !(name === 'to' && other === 'domain'))
      .map(([, other]) => `/v1/messages?${filter}&${other}&limit=100`),
  );
  return [...listsOf(known), ...pairs, `/v1/messages/${known.oldest}/attempts`];
}

/** Searches of the portal. */
export const SEARCHED = ['b-0', BUSY, 'billing@sandbox.test', 'a'.repeat(64), '00'.repeat(16)];

/** Two ways of asking for the same field. */
const bothOf = (field, name, other) => name.includes(field) && other.includes(field);
