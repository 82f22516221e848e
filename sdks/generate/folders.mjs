/** Folders that hold what was installed or built, in any language: never ours to read or to check. */
export const NOT_OURS = new Set([
  ...['node_modules', 'dist', 'build', 'target', 'vendor', 'coverage', '.venv', '.build', '.gradle'],
  ...['__pycache__', '.mypy_cache', '.pytest_cache', '.ruff_cache', '.bundle', '.cache', '.types', '.work'],
]);
