import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js';

/** In a file of its own, so that pages load it only if a log signs with it. */
export const code = ml_dsa44;
