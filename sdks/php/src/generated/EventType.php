<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse;

/**
 * The types of webhook events known when this library was made; others arrive with their data as
 * it came.
 *
 * @phpstan-type Data Types\EmailQueuedData|Types\EmailSentData|Types\EmailDeferredData|Types\EmailBouncedData|Types\EmailComplainedData|Types\EmailSealedData|Types\AcknowledgementGivenData|Types\AcknowledgementRefusedData|Types\AcknowledgementExpiredData|\stdClass
 */
final class EventType
{
    public const EMAIL_QUEUED = 'email.queued';
    public const EMAIL_SENT = 'email.sent';
    public const EMAIL_DEFERRED = 'email.deferred';
    public const EMAIL_BOUNCED = 'email.bounced';
    public const EMAIL_COMPLAINED = 'email.complained';
    public const EMAIL_SEALED = 'email.sealed';
    public const ACKNOWLEDGEMENT_GIVEN = 'acknowledgement.given';
    public const ACKNOWLEDGEMENT_REFUSED = 'acknowledgement.refused';
    public const ACKNOWLEDGEMENT_EXPIRED = 'acknowledgement.expired';

    /** @internal type => schema of its data */
    public const DATA = [
        'email.queued' => 'EmailQueuedData',
        'email.sent' => 'EmailSentData',
        'email.deferred' => 'EmailDeferredData',
        'email.bounced' => 'EmailBouncedData',
        'email.complained' => 'EmailComplainedData',
        'email.sealed' => 'EmailSealedData',
        'acknowledgement.given' => 'AcknowledgementGivenData',
        'acknowledgement.refused' => 'AcknowledgementRefusedData',
        'acknowledgement.expired' => 'AcknowledgementExpiredData',
    ];
}
