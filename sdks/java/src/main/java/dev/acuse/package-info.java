/** The client: begin with {@link dev.acuse.Acuse}. */
package dev.acuse;
