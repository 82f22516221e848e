<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Reply of the contract. */
final class Reply extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'code' => ['integer', true, false, false],
        'enhanced' => ['string', true, true, false],
        'text' => ['string', true, false, false],
    ];

    /** SMTP reply code (RFC 5321). */
    public readonly int $code;
    /** Enhanced status code (RFC 3463), where there was one. */
    public readonly ?string $enhanced;
    /** Text of the server's reply. */
    public readonly string $text;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'] ?? 0;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->text = $values['text'] ?? '';
    }
}
