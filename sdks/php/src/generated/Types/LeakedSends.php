<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Messages sent with these keys, since the service notes it. */
final class LeakedSends extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'count' => ['integer', true, false, true],
        'first_at' => ['string', true, true, true],
        'last_at' => ['string', true, true, true],
        'ids' => [['array', 'string'], true, false, true],
    ];

    /** Among the newest 100000 messages of the account. */
    public readonly int $count;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $first_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $last_at;
    /**
     * Newest first, at most 100.
     * @var list<string>
     */
    public readonly array $ids;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->count = $values['count'];
        $this->first_at = $values['first_at'] ?? null;
        $this->last_at = $values['last_at'] ?? null;
        $this->ids = $values['ids'];
    }
}
