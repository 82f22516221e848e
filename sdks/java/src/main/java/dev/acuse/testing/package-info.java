/** For tests of programs that use Acuse. */
package dev.acuse.testing;
