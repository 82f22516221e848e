import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js';

/** In a file of its own, which pages load only when a log signs with it. */
export const code = ml_dsa44;
