<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** A text that nothing prints: var_export and casts show an object's fields, so that it is not one. @internal */
final class Secret
{
    /** @var \WeakMap<self, string>|null */
    private static ?\WeakMap $texts = null;

    public function __construct(#[\SensitiveParameter] string $text)
    {
        self::$texts ??= new \WeakMap();
        self::$texts[$this] = $text;
    }

    public function reveal(): string
    {
        return self::$texts[$this];
    }

    public function __serialize(): array
    {
        throw new \LogicException('A secret is not serialized.');
    }
}
