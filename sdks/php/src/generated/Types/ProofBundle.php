<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ProofBundle of the contract. */
final class ProofBundle extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'type' => ['string', true, false, false],
        'entries' => [['array', ['ref', 'ProofBundleEntry']], true, false, true],
    ];

    /** The format of this document. */
    public readonly string $type;
    /**
     * The files of the bundle.
     * @var list<ProofBundleEntry>
     */
    public readonly array $entries;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->type = $values['type'] ?? '';
        $this->entries = $values['entries'];
    }
}
