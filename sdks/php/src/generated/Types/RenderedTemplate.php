<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** RenderedTemplate of the contract. */
final class RenderedTemplate extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'template_id' => ['string', true, false, false],
        'version' => ['integer', true, false, false],
        'locale' => ['string', true, true, false],
        'subject' => ['string', true, false, true],
        'text' => ['string', true, true, false],
        'html' => ['string', true, true, false],
    ];

    /** UUIDv7. */
    public readonly string $template_id;
    /** The version that was rendered. */
    public readonly int $version;
    /** The variant that was rendered; null: the template's own content. */
    public readonly ?string $locale;
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
        $this->template_id = $values['template_id'] ?? '';
        $this->version = $values['version'] ?? 0;
        $this->locale = $values['locale'] ?? null;
        $this->subject = $values['subject'];
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
    }
}
