<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of evidence. */
final class Evidence extends Resource
{
    use \Acuse\Internal\KeepsEvidence;

    /**
     * Seal a message on demand.
     *
     * Gets a constancia over this message's canonical hash alone, in addition to the one over its
     * batch, and answers with the evidence: `message_certificate` is the new one. Only once the batch
     * is sealed, and at any time after. Repeated or concurrent requests answer with the one that
     * exists: only one is bought. While no time-stamping authority answers, 503 and nothing is stored.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function seal(string $id): Types\Evidence
    {
        return $this->call('sealMessage', path: ['id' => $id]);
    }

    /**
     * Evidence of a sealed message.
     *
     * Its place in the log, the constancia over its batch, and its outcomes.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function get(string $id): Types\Evidence
    {
        return $this->call('getEvidence', path: ['id' => $id]);
    }

    /**
     * Proof bundle of a sealed message.
     *
     * Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or
     * with `Accept: application/json` as one JSON document of the same entries. With `Accept:
     * application/pdf` a PDF: the pages of the report, the ZIP attached, and a document time-stamp
     * (`ETSI.RFC3161`) of a time-stamping authority over all of it. The first PDF costs a time-stamp
     * and takes the scope `messages:send`, as sealing on demand does; a later request answers with the
     * same one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes
     * were counted over 7 days ago. While no authority answers, 503 and nothing is stored. With
     * `Service-Content-Source: archive` the content came from the archive of its month, which takes
     * longer; while that archive cannot be reached, 503.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getBundle(string $id): string
    {
        return $this->call('getProofBundle', path: ['id' => $id]);
    }

    /**
     * Get the proof bundle as JSON.
     *
     * Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or
     * with `Accept: application/json` as one JSON document of the same entries. With `Accept:
     * application/pdf` a PDF: the pages of the report, the ZIP attached, and a document time-stamp
     * (`ETSI.RFC3161`) of a time-stamping authority over all of it. The first PDF costs a time-stamp
     * and takes the scope `messages:send`, as sealing on demand does; a later request answers with the
     * same one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes
     * were counted over 7 days ago. While no authority answers, 503 and nothing is stored. With
     * `Service-Content-Source: archive` the content came from the archive of its month, which takes
     * longer; while that archive cannot be reached, 503.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getBundleJson(string $id): Types\ProofBundle
    {
        return $this->call('getProofBundleJson', path: ['id' => $id]);
    }

    /**
     * Get the evidence as a PDF with the bundle attached.
     *
     * Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or
     * with `Accept: application/json` as one JSON document of the same entries. With `Accept:
     * application/pdf` a PDF: the pages of the report, the ZIP attached, and a document time-stamp
     * (`ETSI.RFC3161`) of a time-stamping authority over all of it. The first PDF costs a time-stamp
     * and takes the scope `messages:send`, as sealing on demand does; a later request answers with the
     * same one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes
     * were counted over 7 days ago. While no authority answers, 503 and nothing is stored. With
     * `Service-Content-Source: archive` the content came from the archive of its month, which takes
     * longer; while that archive cannot be reached, 503.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getBundlePdf(string $id): string
    {
        return $this->call('getProofBundlePdf', path: ['id' => $id]);
    }

    /**
     * Verify a sealed message.
     *
     * Recomputes everything from the stored bytes: the message against its manifest, the manifest
     * against the log, the log against its signature and the constancia. Every query is recorded,
     * whatever its result.
     *
     * Scope: `evidence:read`.
     * @throws AcuseError
     */
    public function verify(#[\SensitiveParameter] array|Types\VerifyRequest $body): Types\Verification
    {
        return $this->call('verifyMessage', body: $body);
    }

    /**
     * List verifications.
     *
     * The access log: every query of this account with POST /v1/verify, whatever its result, and every
     * opening of a message that it shared, newest first.
     *
     * Scope: `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param string|null $messageId Id of the message.
     * @param string|null $result Only entries with this result.
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @return Listing<Types\VerificationRecord, Types\VerificationRecordPage>
     * @throws AcuseError
     */
    public function listVerifications(
        ?int $limit = null,
        ?string $after = null,
        ?string $messageId = null,
        ?string $result = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): Listing {
        return $this->listOf(
            'listVerifications',
            query: [
                'limit' => $limit,
                'after' => $after,
                'message_id' => $messageId,
                'result' => $result,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }
}
