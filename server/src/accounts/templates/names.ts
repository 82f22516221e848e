import { apiError } from '../../errors.ts';
import { editDistance } from '../../platform/edit-distance.ts';
import { inBoth, STEPS } from '../../wording.ts';

const SHOWN_NAMES = 3;
/** Comparison is quadratic. */
const COMPARED_MAX_CHARS = 64;

export function noTemplateNamed(name: string, names: readonly string[]) {
  const near = closeNames(name, names).map((each) => JSON.stringify(each));
  const hint =
    near.length === 0
      ? STEPS.findTemplate
      : near.length === 1
        ? `did you mean ${near[0]}?`
        : `did you mean ${near.slice(0, -1).join(', ')} or ${near.at(-1)}?`;
  const shown = name.length > COMPARED_MAX_CHARS ? `${name.slice(0, COMPARED_MAX_CHARS)}…` : name;
  const stop = near.length === 0 ? '.' : '';
  return apiError(
    'template_not_found',
    inBoth`No template named ${JSON.stringify(shown)} in this account: ${hint}${stop}`,
  );
}

export function closeNames(name: string, names: readonly string[]): string[] {
  if (name.length > COMPARED_MAX_CHARS) return [];
  const wanted = name.toLowerCase();
  const most = Math.max(2, Math.floor(name.length / 3));
  return names
    .filter((each) => Math.abs(each.length - name.length) <= most && each.length <= COMPARED_MAX_CHARS)
    .map((each) => ({ each, distance: editDistance(wanted, each.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.each < b.each ? -1 : 1))
    .slice(0, SHOWN_NAMES)
    .map(({ each }) => each);
}
