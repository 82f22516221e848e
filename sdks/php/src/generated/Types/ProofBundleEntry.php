<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ProofBundleEntry of the contract. */
final class ProofBundleEntry extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, true],
        'text' => ['string', false, false, false],
        'base64' => ['string', false, false, false],
    ];

    /** Path of the file in the bundle. */
    public readonly string $name;
    /** The content, where it is text. */
    public readonly ?string $text;
    /** The content otherwise. */
    public readonly ?string $base64;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'];
        $this->text = $values['text'] ?? null;
        $this->base64 = $values['base64'] ?? null;
    }
}
