import type { TSchema } from 'typebox';
import type { Components } from './components.ts';
import { exampleOf, type Schema } from './example.ts';
import type { MediaType } from './openapi.ts';

const JSON_TYPE = 'application/json';

/** JSON unless `content` names media types; JSON always has an example. */
export function contentOf(
  given: Schema,
  components: Components,
  place?: 'request',
): Record<string, MediaType> {
  const content = (given['content'] ?? { [JSON_TYPE]: { schema: given } }) as Record<
    string,
    { schema: TSchema }
  >;
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => {
      const used = components.use(schema, place);
      if (type !== JSON_TYPE && used['examples'] === undefined) return [type, { schema: used }];
      return [type, { schema: used, example: exampleOf(used, components.resolve) }];
    }),
  );
}
