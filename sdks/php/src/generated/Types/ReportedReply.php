<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ReportedReply of the contract. */
final class ReportedReply extends Model
{
    /** @internal name => type, required, nullable */
    public const FIELDS = [
        'code' => ['integer', true, true],
        'enhanced' => ['string', true, true],
        'text' => ['string', true, true],
    ];

    /** SMTP reply code (RFC 5321). */
    public readonly ?int $code;
    /** Enhanced status code (RFC 3463), where there was one. */
    public readonly ?string $enhanced;
    /** Text of the server's reply. */
    public readonly ?string $text;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'] ?? null;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->text = $values['text'] ?? null;
    }
}
