import { describeEveryPage } from './support/every-page.ts';

/** Every page in English, on a desk. */
describeEveryPage({ locale: 'en-US', width: 1280 });
