<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DmarcSource of the contract. */
final class DmarcSource extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'source_ip' => ['string', true, false, false],
        'signed_here' => ['boolean', true, false, false],
        'messages' => ['integer', true, false, false],
        'aligned' => ['integer', true, false, false],
        'dkim_aligned' => ['integer', true, false, false],
        'spf_aligned' => ['integer', true, false, false],
        'quarantined' => ['integer', true, false, false],
        'rejected' => ['integer', true, false, false],
        'header_from' => [['array', 'string'], true, false, false],
        'reporters' => [['array', 'string'], true, false, false],
    ];

    /** The address that sent them. */
    public readonly string $source_ip;
    /** True: some of its mail is signed with a key of this domain's here. */
    public readonly bool $signed_here;
    /** Messages from this address. */
    public readonly int $messages;
    /** Passed DMARC, by DKIM or by SPF. */
    public readonly int $aligned;
    /** Messages whose DKIM signature is of the From domain. */
    public readonly int $dkim_aligned;
    /** Messages whose SPF domain is that of From. */
    public readonly int $spf_aligned;
    /** Messages that receivers put aside as suspicious. */
    public readonly int $quarantined;
    /** Messages that receivers refused. */
    public readonly int $rejected;
    /**
     * Domains in From.
     * @var list<string>
     */
    public readonly array $header_from;
    /**
     * Domains of those who reported it, as DKIM or SPF proved them.
     * @var list<string>
     */
    public readonly array $reporters;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->source_ip = $values['source_ip'] ?? '';
        $this->signed_here = $values['signed_here'] ?? false;
        $this->messages = $values['messages'] ?? 0;
        $this->aligned = $values['aligned'] ?? 0;
        $this->dkim_aligned = $values['dkim_aligned'] ?? 0;
        $this->spf_aligned = $values['spf_aligned'] ?? 0;
        $this->quarantined = $values['quarantined'] ?? 0;
        $this->rejected = $values['rejected'] ?? 0;
        $this->header_from = $values['header_from'] ?? [];
        $this->reporters = $values['reporters'] ?? [];
    }
}
