<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Errors\ConfigurationError;
use Acuse\Listing;

/** Common to all resources of a client. @internal */
abstract class Resource
{
    private const KEY = '/\A[ -~]{1,255}\z/';

    final public function __construct(protected readonly Core $core)
    {
    }

    public function __debugInfo(): array
    {
        return [];
    }

    protected function call(
        string $id,
        array $path = [],
        array $query = [],
        #[\SensitiveParameter] mixed $body = null,
    ): mixed {
        $bytes = self::bytes($id, $body);
        return (new Call($this->core, new Request($id, $path, $query, $bytes)))->run()->value;
    }

    protected function listOf(string $id, array $path = [], array $query = []): Listing
    {
        return new Listing($query, fn (array $asked): mixed => $this->call($id, $path, $asked));
    }

    /** Made once for all attempts. */
    protected static function bytes(string $id, #[\SensitiveParameter] mixed $body): ?string
    {
        if ($body === null || (is_string($body) && Operations::ALL[$id]['media'] !== 'application/json')) {
            return $body;
        }
        return Codec::write(Operations::ALL[$id]['body'], $body);
    }

    /** A key of the caller's, or one that protects this call alone. */
    protected static function checkedKey(?string $key): string
    {
        if ($key === null) {
            $bytes = random_bytes(16);
            // Version 4, variant 10. RFC 9562 §5.4
            $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
            $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
            return 'auto_' . vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
        }
        if (preg_match(self::KEY, $key) !== 1) {
            throw new ConfigurationError('An idempotency key is 1 to 255 printable ASCII characters.');
        }
        return $key;
    }
}
