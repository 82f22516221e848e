import { oneOf } from '../routing/search.ts';

/** Days that rates are asked for. */
export const RATES_WINDOWS = ['7', '14', '30', '90'] as const;
export type RatesWindow = (typeof RATES_WINDOWS)[number];

/** As the address of a page holds it. */
export const ratesWindow = oneOf(RATES_WINDOWS, '14');
