<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of domains. */
final class Domains extends Resource
{
    /**
     * Register a domain.
     *
     * Answers with the DNS records to publish. Public suffixes are refused. A domain that is verified
     * for another account is refused by verify once its records are published.
     *
     * Scope: `messages:send`.
     * @throws AcuseError
     */
    public function create(#[\SensitiveParameter] array|Types\NewDomain $body): Types\Domain
    {
        return $this->call('createDomain', body: $body);
    }

    /**
     * List domains.
     *
     * The domains of the account with their records and readiness, newest first.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param string|null $status Only a verified domain may send.
     * @return Listing<Types\Domain, Types\DomainPage>
     * @throws AcuseError
     */
    public function list(?int $limit = null, ?string $after = null, ?string $status = null): Listing
    {
        return $this->listOf(
            'listDomains',
            query: ['limit' => $limit, 'after' => $after, 'status' => $status],
        );
    }

    /**
     * Read a domain.
     *
     * The domain with what the last look-up found for each record.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function get(string $id): Types\Domain
    {
        return $this->call('getDomain', path: ['id' => $id]);
    }

    /**
     * Delete a domain.
     *
     * Deletes the domain with its DKIM keys and senders; another account can then verify the name.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function delete(string $id): void
    {
        $this->call('deleteDomain', path: ['id' => $id]);
    }

    /**
     * Verify a domain.
     *
     * Looks up all records now and reports what was found for each. Answers 200 whatever was found:
     * read status. A verified domain is checked daily and has 24 h of grace.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function verify(string $id): Types\Domain
    {
        return $this->call('verifyDomain', path: ['id' => $id]);
    }

    /**
     * Rotate DKIM keys.
     *
     * Creates new keys next to the old ones, which sign until verify or the daily check finds the
     * records of the new ones. Keep the old records for a week after that.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function rotateDkim(string $id): Types\Domain
    {
        return $this->call('rotateDkim', path: ['id' => $id]);
    }

    /**
     * Read reports about a domain.
     *
     * Reports of receivers about mail with this domain in From (DMARC, RFC 7489), and senders of TLS
     * with its mail hosts (RFC 8460), added up. Reports come to dmarc@ and tlsrpt@ of its bounce host,
     * and count if DKIM or SPF proves who sent them.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @param int|null $days Days up to now that the reports are about.
     * @throws AcuseError
     */
    public function reports(string $id, ?int $days = null): Types\DomainReports
    {
        return $this->call('getDomainReports', path: ['id' => $id], query: ['days' => $days]);
    }

    /**
     * Read how a domain stands with the rules for bulk senders.
     *
     * The requirements of Gmail and Yahoo for bulk senders, and what was seen of each in the last 30
     * days. Complaints are those that reached this service: Gmail reports none, see Google Postmaster
     * Tools for its own rate.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function requirements(string $id): Types\DomainRequirements
    {
        return $this->call('getDomainRequirements', path: ['id' => $id]);
    }
}
