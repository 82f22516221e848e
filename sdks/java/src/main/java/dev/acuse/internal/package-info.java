/** Not for programs: it may change without notice. */
package dev.acuse.internal;
