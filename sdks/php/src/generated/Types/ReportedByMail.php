<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/**
 * Present only if a report that came by mail ended the message: an asynchronous bounce or a
 * complaint.
 */
final class ReportedByMail extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'peer' => [['ref', 'ReportPeer'], true, false, false],
        'mail_from' => ['string', true, false, false],
        'dkim' => [['ref', 'ReportDkim'], true, false, false],
        'spf' => [['ref', 'ReportSpf'], true, false, false],
        'vouched_by' => ['string', true, true, false],
        'claims' => [['ref', 'ReportClaims'], true, false, false],
        'sha256' => ['string', true, false, false],
    ];

    public readonly ?ReportPeer $peer;
    /** Envelope sender of the report; empty for <>. */
    public readonly string $mail_from;
    /** DKIM of the report itself. */
    public readonly ?ReportDkim $dkim;
    /** SPF of the report itself. */
    public readonly ?ReportSpf $spf;
    /**
     * Link of the report to the server that accepted the message or to the domain of its recipient.
     * null: nothing; the report then suppresses nobody.
     */
    public readonly ?string $vouched_by;
    public readonly ?ReportClaims $claims;
    /** SHA-256 of the mail as received, lower-case hex; in the stored copy a token is hidden. */
    public readonly string $sha256;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->peer = $values['peer'] ?? null;
        $this->mail_from = $values['mail_from'] ?? '';
        $this->dkim = $values['dkim'] ?? null;
        $this->spf = $values['spf'] ?? null;
        $this->vouched_by = $values['vouched_by'] ?? null;
        $this->claims = $values['claims'] ?? null;
        $this->sha256 = $values['sha256'] ?? '';
    }
}
