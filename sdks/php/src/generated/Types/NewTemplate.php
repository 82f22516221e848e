<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** At least one of text and html is required. */
final class NewTemplate extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, true],
        'subject' => ['string', true, false, true],
        'text' => ['string', false, true, false],
        'html' => ['string', false, true, false],
        'variants' => [['map', ['ref', 'NewTemplateVariant']], false, true, false],
    ];

    /** Name of the template, unique in the account. */
    public readonly string $name;
    /** With {{variables}} (Liquid); line breaks in a value become spaces. */
    public readonly string $subject;
    /** Plain body, with {{variables}} (Liquid). */
    public readonly ?string $text;
    /** HTML body, with {{variables}} (Liquid); values are escaped. */
    public readonly ?string $html;
    /**
     * By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
     * itself.
     * @var array<string, NewTemplateVariant>|null
     */
    public readonly ?array $variants;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'];
        $this->subject = $values['subject'];
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
        $this->variants = $values['variants'] ?? null;
    }
}
