<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** LeakedWebhook of the contract. */
final class LeakedWebhook extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'url' => ['string', true, false, true],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Where its events went. */
    public readonly string $url;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->url = $values['url'];
    }
}
