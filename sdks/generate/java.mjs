// The emitter of the Java library: records with builders, resources, their asynchronous forms and tables.
// Java names a file after the class in it, so the files are in a folder `generated`.
import { operationFiles } from './java-operations.mjs';
import { typeFiles } from './java-types.mjs';

/** @param {import('./model.mjs').Model} model */
export function emit(model) {
  const schemas = new Map(model.schemas.map((schema) => [schema.name, schema]));
  return [...typeFiles(schemas), ...operationFiles(model, schemas)];
}
