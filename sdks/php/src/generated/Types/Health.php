<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Health of the contract. */
final class Health extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'status' => ['string', true, false, true],
        'degraded' => ['boolean', false, false, false],
    ];

    /** ok, or why it is not. */
    public readonly string $status;
    /** A database server is lost: requests of its accounts are answered 503. Readiness only. */
    public readonly ?bool $degraded;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->status = $values['status'];
        $this->degraded = $values['degraded'] ?? null;
    }
}
