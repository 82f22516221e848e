<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TemplateVariant of the contract. */
final class TemplateVariant extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'subject' => ['string', true, false, false],
        'text' => ['string', true, true, false],
        'html' => ['string', true, true, false],
    ];

    /** With {{variables}} (Liquid); line breaks in a value become spaces. */
    public readonly string $subject;
    /** Plain body, with {{variables}} (Liquid). */
    public readonly ?string $text;
    /** HTML body, with {{variables}} (Liquid); values are escaped. */
    public readonly ?string $html;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->subject = $values['subject'] ?? '';
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
    }
}
