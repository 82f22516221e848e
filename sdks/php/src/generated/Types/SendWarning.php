<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SendWarning of the contract. */
final class SendWarning extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'code' => ['string', true, false, false],
        'field' => ['string', true, false, false],
        'message' => ['string', true, false, false],
    ];

    /**
     * header_dropped: a header was not sent; charset_guessed: text did not say its charset and was
     * taken as UTF-8 or Windows-1252; name_changed: the From name claimed another domain, or a name
     * held invisible characters, a file name control characters too; codes_not_sent: the recipient is
     * asked to acknowledge the message, and the page cannot send its code yet.
     */
    public readonly string $code;
    /** The header, body, filename or acknowledgement. */
    public readonly string $field;
    /** The change, and how to avoid it. */
    public readonly string $message;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'] ?? '';
        $this->field = $values['field'] ?? '';
        $this->message = $values['message'] ?? '';
    }
}
