<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Template of the contract. */
final class Template extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'version' => ['integer', true, false, false],
        'subject' => ['string', true, false, false],
        'text' => ['string', true, true, false],
        'html' => ['string', true, true, false],
        'variants' => [['map', ['ref', 'TemplateVariant']], true, false, false],
        'created_at' => ['string', true, false, false],
        'updated_at' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Name of the template, unique in the account. */
    public readonly string $name;
    /** Grows by one with each change of content; a message keeps the version it used. */
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
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $updated_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->version = $values['version'] ?? 0;
        $this->subject = $values['subject'] ?? '';
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
        $this->variants = $values['variants'] ?? [];
        $this->created_at = $values['created_at'] ?? '';
        $this->updated_at = $values['updated_at'] ?? '';
    }
}
