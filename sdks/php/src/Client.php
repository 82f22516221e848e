<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\ConfigurationError;
use Acuse\Internal\Budget;
use Acuse\Internal\Core;
use Acuse\Internal\CurlTransport;
use Acuse\Internal\Options;
use Acuse\Internal\Resources;

/**
 * The service, over one API key. One client serves all calls of a program; after a fork its connections start
 * anew.
 */
final class Client
{
    use Resources;

    private readonly Core $core;

    /**
     * @param string|null $apiKey default: ACUSE_API_KEY
     * @param string|null $baseUrl default: ACUSE_URL
     * @param mixed ...$options by name: maxRetries (3), connectTimeout (10 s), timeout (60 s an attempt and 1 s for
     *   each 256 KiB of body), deadline (180 s a call), caFile, proxy, appInfo, onAttempt, allowInsecure; for tests
     *   transport, clock, wallClock, sleep, random
     * @throws ConfigurationError
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        #[\SensitiveParameter] ?string $baseUrl = null,
        #[\SensitiveParameter] mixed ...$options,
    ) {
        $chosen = new Options(array_filter(['apiKey' => $apiKey, 'baseUrl' => $baseUrl], is_string(...)) + $options);
        $transport = $chosen->get('transport') ?? new CurlTransport($chosen);
        $this->core = new Core($chosen, $transport, new Budget());
        $this->connect($this->core);
    }

    /**
     * A view with other options, over the same connections and budget; what connections are made of (baseUrl,
     * caFile, proxy, transport) stays.
     * @throws ConfigurationError
     */
    public function withOptions(#[\SensitiveParameter] mixed ...$changes): self
    {
        $fixed = array_intersect(array_keys($changes), ['baseUrl', 'caFile', 'proxy', 'transport']);
        if ($fixed !== []) {
            throw new ConfigurationError(
                implode(', ', $fixed) . ' cannot change on a client that exists: make another.',
            );
        }
        $view = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $view->core = new Core($this->core->options->with($changes), $this->core->transport, $this->core->budget);
        $view->connect($view->core);
        return $view;
    }

    /**
     * Sends messages of the outbox that are due, each once, however often and from wherever this is called. Why a
     * message waits or was refused stands in the table.
     * @param \PDO $connection in no transaction
     * @param int $limit the most messages that the call takes on
     * @return int how many came to their end, sent or refused
     * @throws \PDOException
     */
    public function sendOutbox(\PDO $connection, int $limit = 100): int
    {
        return Outbox::sendDue($this->core, $connection, $limit);
    }

    /** Ends idle connections. */
    public function close(): void
    {
        $this->core->transport->close();
    }

    /** @return array<string, mixed> what var_dump and print_r show */
    public function __debugInfo(): array
    {
        return $this->core->options->__debugInfo();
    }
}
