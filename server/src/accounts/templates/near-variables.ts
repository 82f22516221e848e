import { didYouMean } from '../../platform/edit-distance.ts';

const SHOWN_NAMES = 8;
const NAME_MAX_CHARS = 40;

export function nearVariables(problem: string, variables: Readonly<Record<string, unknown>>): string {
  const path = /^undefined variable: ([\w.-]{1,200}),/.exec(problem)?.[1]?.split('.');
  if (path === undefined) return '';
  let holder: unknown = variables;
  for (const [depth, name] of path.entries()) {
    const names = namesOf(holder);
    if (names.includes(name)) {
      holder = (holder as Record<string, unknown>)[name];
      continue;
    }
    const above = path.slice(0, depth);
    const shown = names.filter((each) => each.length <= NAME_MAX_CHARS).slice(0, SHOWN_NAMES);
    const meant = didYouMean(name, shown);
    if (meant !== undefined) return `: did you mean ${[...above, meant].join('.')}?`;
    if (shown.length === 0) return '';
    const more = names.length - shown.length;
    const where = ['variables', ...above].join('.');
    return `; ${where} has ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
  return '';
}

function namesOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
