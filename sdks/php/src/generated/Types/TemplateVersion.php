<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TemplateVersion of the contract. */
final class TemplateVersion extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'version' => ['integer', true, false, true],
        'subject' => ['string', true, false, false],
        'text' => ['string', true, true, false],
        'html' => ['string', true, true, false],
        'variants' => [['map', ['ref', 'TemplateVariant']], true, false, false],
        'created_at' => ['string', true, false, false],
    ];

    /** Number of the version, from 1. */
    public readonly int $version;
    /** With {{variables}} (Liquid); line breaks in a value become spaces. */
    public readonly string $subject;
    /** Plain body, with {{variables}} (Liquid). */
    public readonly ?string $text;
    /** HTML body, with {{variables}} (Liquid); values are escaped. */
    public readonly ?string $html;
    /**
     * By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
     * itself.
     * @var array<string, TemplateVariant>
     */
    public readonly array $variants;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->version = $values['version'];
        $this->subject = $values['subject'] ?? '';
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
        $this->variants = $values['variants'] ?? [];
        $this->created_at = $values['created_at'] ?? '';
    }
}
