/** Verifying proof bundles offline: begin with {@link dev.acuse.verify.Verifier}. */
package dev.acuse.verify;
