<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\ConfigurationError;
use Acuse\Errors\NotABundleError;
use Acuse\Internal\Evidence\Container;
use Acuse\Internal\Evidence\Times;
use Acuse\Internal\Evidence\Verification;

/**
 * Verification of proof bundles, offline, at level 3: container, sums, manifest, openings, the message's
 * layers, the log with its witnesses, outcomes, time-stamps with their renewals, and revocation (CRL, OCSP).
 * Text in rare charsets is listed as not checked, and then a good bundle is `incomplete` at best, and not
 * `valid`: `acuse verify` checks it.
 *
 *     $report = Verifier::verify('proof.zip', Policy::load('policy.json'));
 *
 * It needs ext-openssl, ext-sodium, ext-mbstring and ext-zlib, and about twice the bundle's size of memory.
 */
final class Verifier
{
    /**
     * Believe the policy in the bundle, which whoever made the bundle wrote: nothing is proven by that alone.
     */
    public const TRUST_BUNDLE = Trust::Bundle;
    /** The level in docs/clients.md: what a library checks. */
    public const LEVEL = 3;
    private const EXTENSIONS = ['openssl', 'sodium', 'mbstring', 'zlib'];

    /**
     * @param Policy|Trust $policy yours, or Verifier::TRUST_BUNDLE
     * @param \DateTimeInterface|null $at when the newest time-stamp's chain must still be valid, usually now
     * @param string|null $eml path of the message as somebody received it, which is compared: Report::$copy
     * @param \DateTimeInterface|null $now your clock, by default the system's: what is a day ahead is refused
     * @throws NotABundleError the file is something else, or cannot be read
     * @throws ConfigurationError an extension of PHP is missing
     */
    public static function verify(
        string $path,
        Policy|Trust $policy,
        ?\DateTimeInterface $at = null,
        ?string $eml = null,
        ?\DateTimeInterface $now = null,
    ): Report {
        $received = $eml === null ? null : self::contentOf($eml);
        return self::verifyBytes(self::contentOf($path), $policy, $at, $received, $now);
    }

    /**
     * The same, of the bundle's bytes.
     * @throws NotABundleError
     * @throws ConfigurationError
     */
    public static function verifyBytes(
        #[\SensitiveParameter] string $bundle,
        Policy|Trust $policy,
        ?\DateTimeInterface $at = null,
        #[\SensitiveParameter] ?string $eml = null,
        ?\DateTimeInterface $now = null,
    ): Report {
        self::needExtensions();
        $pinned = $policy instanceof Policy ? $policy->document() : null;
        $clock = Times::of($now ?? new \DateTimeImmutable());
        return (new Verification($pinned, $at, $clock))->run($bundle, $eml);
    }

    /** @internal @throws ConfigurationError */
    public static function needExtensions(): void
    {
        $missing = array_filter(self::EXTENSIONS, static fn (string $name): bool => !extension_loaded($name));
        if ($missing !== []) {
            throw new ConfigurationError('Verification needs PHP\'s extensions ' . implode(', ', $missing) . '.');
        }
    }

    private static function contentOf(string $path): string
    {
        // Anything larger is refused by its first bytes beyond the limit.
        $bytes = is_file($path) ? @file_get_contents($path, length: Container::MAX_FILE + 1) : false;
        return $bytes === false ? throw new NotABundleError("The file cannot be read: $path.") : $bytes;
    }
}
