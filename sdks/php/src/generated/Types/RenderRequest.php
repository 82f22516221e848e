<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** RenderRequest of the contract. */
final class RenderRequest extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'variables' => [['map', 'json'], false, true, false],
        'locale' => ['string', false, true, false],
    ];

    /**
     * The template's data.
     * @var array<string, mixed>|null
     */
    public readonly ?array $variables;
    /** Language tag: chooses a variant of the template. */
    public readonly ?string $locale;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->variables = $values['variables'] ?? null;
        $this->locale = $values['locale'] ?? null;
    }
}
