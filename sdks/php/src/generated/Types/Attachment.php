<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Attachment of the contract. */
final class Attachment extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'filename' => ['string', true, false, true],
        'content_type' => ['string', false, true, false],
        'content' => ['string', true, false, true],
        'content_id' => ['string', false, true, false],
    ];

    /** File name shown to the recipient, without a path; at most 255 bytes of UTF-8. */
    public readonly string $filename;
    /**
     * Media type; application/octet-stream when omitted. An invitation, `text/calendar;
     * method=REQUEST` in UTF-8, also goes out beside text and html, so that mail programs show its
     * buttons.
     */
    public readonly ?string $content_type;
    /** The bytes in base64 (RFC 4648 §4). */
    public readonly string $content;
    /** Makes the attachment an inline part that html refers to as cid:<content_id>. */
    public readonly ?string $content_id;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->filename = $values['filename'];
        $this->content_type = $values['content_type'] ?? null;
        $this->content = $values['content'];
        $this->content_id = $values['content_id'] ?? null;
    }
}
