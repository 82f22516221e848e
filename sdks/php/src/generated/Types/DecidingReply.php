<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DecidingReply of the contract. */
final class DecidingReply extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'code' => ['integer', true, true, false],
        'enhanced' => ['string', true, true, false],
        'text' => ['string', true, false, false],
        'mx' => ['string', true, true, false],
    ];

    /** SMTP reply; null when no reply came. */
    public readonly ?int $code;
    /** Enhanced status code (RFC 3463), where there was one. */
    public readonly ?string $enhanced;
    /** Text of the server's reply. */
    public readonly string $text;
    /** Host name of the mail server. */
    public readonly ?string $mx;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'] ?? null;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->text = $values['text'] ?? '';
        $this->mx = $values['mx'] ?? null;
    }
}
