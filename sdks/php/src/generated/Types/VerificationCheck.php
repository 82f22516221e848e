<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** VerificationCheck of the contract. */
final class VerificationCheck extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, true],
        'ok' => ['boolean', true, false, true],
        'detail' => ['string', true, false, false],
    ];

    /** Name of the check. */
    public readonly string $name;
    /** True: it holds; null: it was not made. */
    public readonly bool $ok;
    /** For people: what was found. */
    public readonly string $detail;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'];
        $this->ok = $values['ok'];
        $this->detail = $values['detail'] ?? '';
    }
}
