import { asProblem } from '../../../../shared/api/error.ts';
import type { Content } from './draft.ts';

/** Where a refusal says that a template is wrong. */
export interface Located {
  /** Null: the content asked about. */
  readonly language: string | null;
  readonly part: keyof Content | 'variables' | 'name' | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Without the place. */
  readonly message: string;
}

const PART = /^(?:variants\.([\w-]{1,40})\.)?(subject|text|html|variables): /;
const PLACE = /, line:(\d{1,9}), col:(\d{1,9})/;
const NAME = /^(?:A template named |name )/;

/** Null: the refusal is not of the template's content. */
export function locate(error: unknown): Located | null {
  const { code, message } = asProblem(error);
  if (code !== 'invalid_body' && code !== 'template_render_error' && code !== 'conflict') return null;
  const part = PART.exec(message);
  if (part === null)
    return NAME.test(message)
      ? { language: null, part: 'name', line: null, column: null, message }
      : { language: null, part: null, line: null, column: null, message };
  const said = message.slice(part[0].length);
  const place = PLACE.exec(said);
  return {
    language: part[1] ?? null,
    part: part[2] as Located['part'],
    line: place === null ? null : Number(place[1]),
    column: place === null ? null : Number(place[2]),
    message: place === null ? said : said.replace(place[0], ''),
  };
}
