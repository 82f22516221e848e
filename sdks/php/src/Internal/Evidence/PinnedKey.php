<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A key, and when it is trusted. @internal */
final readonly class PinnedKey
{
    public function __construct(public VerifierKey $key, public Window $window = new Window())
    {
    }

    /**
     * The keys that were trusted then; null: all.
     * @param list<self> $keys
     * @return list<VerifierKey>
     */
    public static function trustedAt(array $keys, ?int $at): array
    {
        $isTrusted = static fn (self $each): bool => $at === null || $each->window->holds($at);
        return array_column(array_filter($keys, $isTrusted), 'key');
    }
}
