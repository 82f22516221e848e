<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** RenderedDraft of the contract. */
final class RenderedDraft extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'subject' => ['string', true, false, true],
        'text' => ['string', true, true, false],
        'html' => ['string', true, true, false],
    ];

    /** The subject. */
    public readonly string $subject;
    /** The text part. */
    public readonly ?string $text;
    /** The HTML part. */
    public readonly ?string $html;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->subject = $values['subject'];
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
    }
}
