<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Evidence of the contract. */
final class Evidence extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, true],
        'canonical_hash' => ['string', true, false, false],
        'batch_id' => ['string', true, false, false],
        'merkle_root' => ['string', true, false, false],
        'leaf_index' => ['integer', true, false, false],
        'tree_size' => ['integer', true, false, false],
        'certificate_id' => ['string', true, false, false],
        'sealed_at' => ['string', true, false, false],
        'certificate' => [['ref', 'Certificate'], true, false, false],
        'message_certificate' => [['ref', 'Certificate'], true, true, false],
        'renewals' => [['array', ['ref', 'Certificate']], true, false, false],
        'covered_until' => ['string', true, true, false],
        'delivery' => [['array', ['ref', 'DeliveryOutcome']], true, false, false],
        'outcomes' => [['ref', 'OutcomesCount'], false, true, false],
        'content_deleted_at' => ['string', true, true, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** SHA-256 of the manifest: the entry in the log. */
    public readonly string $canonical_hash;
    /** UUIDv7. */
    public readonly string $batch_id;
    /** Root of the log at tree_size. */
    public readonly string $merkle_root;
    /** Place in the log, counted from 0. */
    public readonly int $leaf_index;
    /** Size of the checkpoint that ends the batch. */
    public readonly int $tree_size;
    /** UUIDv7. */
    public readonly string $certificate_id;
    /** genTime of the constancia. */
    public readonly string $sealed_at;
    public readonly ?Certificate $certificate;
    /** A time-stamp over this message alone, if one was asked for. */
    public readonly ?Certificate $message_certificate;
    /**
     * Renewals of `certificate`, oldest first, each made before a certificate of the previous chain
     * ended. The proof bundle has them.
     * @var list<Certificate>
     */
    public readonly array $renewals;
    /**
     * When the first certificate in the chain of the newest of these time-stamps ends; it is renewed
     * before then. null: not yet determined.
     */
    public readonly ?string $covered_until;
    /**
     * The outcomes of the message, each a leaf of its own.
     * @var list<DeliveryOutcome>
     */
    public readonly array $delivery;
    /**
     * How many outcomes the log signs for: those of `delivery` that are in it. null: its key is gone,
     * and so is that of the log that went on after it. Absent: the server is older than this field.
     */
    public readonly ?OutcomesCount $outcomes;
    /**
     * When the message was erased: its content, its addresses and the replies of servers can no longer
     * be shown; everything else here stays valid.
     */
    public readonly ?string $content_deleted_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'];
        $this->canonical_hash = $values['canonical_hash'] ?? '';
        $this->batch_id = $values['batch_id'] ?? '';
        $this->merkle_root = $values['merkle_root'] ?? '';
        $this->leaf_index = $values['leaf_index'] ?? 0;
        $this->tree_size = $values['tree_size'] ?? 0;
        $this->certificate_id = $values['certificate_id'] ?? '';
        $this->sealed_at = $values['sealed_at'] ?? '';
        $this->certificate = $values['certificate'] ?? null;
        $this->message_certificate = $values['message_certificate'] ?? null;
        $this->renewals = $values['renewals'] ?? [];
        $this->covered_until = $values['covered_until'] ?? null;
        $this->delivery = $values['delivery'] ?? [];
        $this->outcomes = $values['outcomes'] ?? null;
        $this->content_deleted_at = $values['content_deleted_at'] ?? null;
    }
}
