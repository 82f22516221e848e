/**
 * The columns of the table: each language, and each further surface of its library (`variants` of names.json,
 * whose names are given to the shim), which is a library of its own to the suite.
 */
export function columnsOf(languages) {
  return Object.entries(languages).flatMap(([language, settings]) => {
    const { variants = {}, missing = [], ...own } = settings;
    const further = Object.entries(variants).map(([variant, { title, missing: lacks = [] }]) => ({
      ...own,
      ...{ name: `${language}-${variant}`, language, title, isVariant: true },
      shim: [...own.shim, variant],
      missing: [...missing, ...lacks],
    }));
    return [{ ...own, name: language, language, isVariant: false, missing }, ...further];
  });
}
