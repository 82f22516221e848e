<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailSealed of the contract. */
final class EmailSealed extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'type' => ['string', true, false, true],
        'created_at' => ['string', true, false, false],
        'data' => [['ref', 'EmailSealedData'], true, false, false],
    ];

    /** The type of the event. */
    public readonly string $type;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** The event. */
    public readonly ?EmailSealedData $data;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->type = $values['type'];
        $this->created_at = $values['created_at'] ?? '';
        $this->data = $values['data'] ?? null;
    }
}
