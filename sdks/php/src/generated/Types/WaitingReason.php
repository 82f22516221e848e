<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WaitingReason of the contract. */
final class WaitingReason extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'code' => [['ref', 'WaitingCode'], true, false, false],
        'until' => ['string', true, true, false],
        'text' => ['string', true, false, false],
    ];

    public readonly string $code;
    /** When it ends by itself; null: that is not known. */
    public readonly ?string $until;
    /** The reason in a sentence. */
    public readonly string $text;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'] ?? '';
        $this->until = $values['until'] ?? null;
        $this->text = $values['text'] ?? '';
    }
}
