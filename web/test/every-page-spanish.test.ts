import { describeEveryPage } from './support/every-page.ts';

/** Every page in Spanish, on a phone. */
describeEveryPage({ locale: 'es-MX', width: 320 });
