/** Stands in for packages/evidence where this folder is alone: what imports it is left out of the build. */
declare module '@acuse/evidence/*';
