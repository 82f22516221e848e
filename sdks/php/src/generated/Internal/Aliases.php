<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Internal;

/**
 * Schemas that are not objects; the values of an enumeration arrive as their text.
 * @internal
 */
final class Aliases
{
    public const ALL = [
        'AccountStatus' => 'string',
        'AcknowledgementRequest' => 'string',
        'AcknowledgementStatus' => 'string',
        'AuditActorKind' => 'string',
        'AuthenticationResult' => 'string',
        'BounceReason' => 'string',
        'BounceType' => 'string',
        'CopyRecipients' => ['union', ['string', ['array', 'string']]],
        'DmarcAdviceReason' => 'string',
        'DmarcPolicy' => 'string',
        'DomainReadiness' => 'string',
        'ErrorCode' => 'string',
        'EventOrder' => 'string',
        'EventType' => 'string',
        'MessageStatus' => 'string',
        'ReadOnlyPart' => 'string',
        'Recipients' => ['union', ['string', ['array', 'string']]],
        'RecordedEventType' => 'string',
        'ReplyTo' => ['union', ['string', ['array', 'string']]],
        'RequirementVerdict' => 'string',
        'Scope' => 'string',
        'SenderRule' => 'string',
        'Subscription' => 'string',
        'WaitingCode' => 'string',
        'WebhookDeliveryStatus' => 'string',
        'WebhookDisabledReason' => 'string',
    ];
}
