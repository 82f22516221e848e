<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** RemoteAddress of the contract. */
final class RemoteAddress extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'part' => ['integer', true, false, false],
        'url' => ['string', true, false, false],
    ];

    /** Place of the part among all, from 0; containers are not counted. */
    public readonly int $part;
    /** The address that would be loaded. */
    public readonly string $url;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->part = $values['part'] ?? 0;
        $this->url = $values['url'] ?? '';
    }
}
