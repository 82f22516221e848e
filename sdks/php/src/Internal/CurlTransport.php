<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** HTTP over libcurl: connections that all calls of a client share, one request each at a time. @internal */
final class CurlTransport implements Transport
{
    private const MAX_REQUESTS = 100;
    /** The server closes an idle connection at 72 s. */
    private const IDLE_SECONDS = 60;
    /** Seconds that a download may stand still. */
    private const BETWEEN_BYTES = 30;
    /** libcurl's codes: no name, no address, no connection. */
    private const NO_CONNECTION = [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT];
    /** libcurl's codes for TLS: engine, key, cipher, certificate, CA file, revocation list, issuer, pin, status. */
    private const TLS = [35, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98];
    /** A handshake that was dropped is a connection that failed. */
    private const DROPPED = '/SYSCALL|unexpected eof|reset by peer|Connection (?:was )?(?:closed|aborted)/i';

    private \CurlMultiHandle $multi;
    private int $process = 0;
    private int $active = 0;
    /** @var array<int, int> handle => libcurl's code */
    private array $done = [];
    /** @var list<\CurlMultiHandle> of the process that this one was forked from: its connections stay open */
    private static array $inherited = [];

    public function __construct(private readonly Options $options)
    {
        $this->route();
        $this->startAnew();
    }

    public function request(Attempt $attempt): Reply|Failure
    {
        if ($this->process !== getmypid()) {
            self::$inherited[] = $this->multi;
            $this->startAnew();
        }
        Loop::until(fn (): bool => $this->active < self::MAX_REQUESTS, $this);
        $incoming = new Incoming($attempt);
        $handle = curl_init($attempt->url);
        curl_setopt_array($handle, $this->settings($attempt, $incoming));
        $code = $this->perform($handle);
        if ($incoming->tooLarge) {
            return $incoming->reply();
        }
        if ($incoming->problem !== null) {
            throw $incoming->problem;
        }
        if ($code === CURLE_OK && !$incoming->framed) {
            return new Failure(new Outcome(Outcome::LOST_ANSWER), 'receive', 'the answer is not framed as HTTP');
        }
        return $code === CURLE_OK ? $incoming->reply() : $this->failure($handle, $code, $attempt);
    }

    public function close(): void
    {
        if ($this->active === 0) {
            $this->startAnew();
        }
    }

    /** Lets transfers go on as far as they can. */
    public function pump(): void
    {
        do {
            $state = curl_multi_exec($this->multi, $running);
        } while ($state === CURLM_CALL_MULTI_PERFORM);
        while (($info = curl_multi_info_read($this->multi)) !== false) {
            $this->done[spl_object_id($info['handle'])] = $info['result'];
        }
    }

    /** Waits for bytes. */
    public function wait(float $seconds): void
    {
        $began = hrtime(true);
        // With nothing to wait for it returns at once.
        if (curl_multi_select($this->multi, $seconds) <= 0 && hrtime(true) - $began < 1e6) {
            usleep(1_000);
        }
    }

    private function startAnew(): void
    {
        $this->process = getmypid();
        $this->active = 0;
        $this->done = [];
        $this->multi = curl_multi_init();
        curl_multi_setopt($this->multi, CURLMOPT_MAXCONNECTS, self::MAX_REQUESTS);
    }

    private function perform(\CurlHandle $handle): int
    {
        $id = spl_object_id($handle);
        $multi = $this->multi;
        $this->active++;
        curl_multi_add_handle($multi, $handle);
        try {
            Loop::until(fn (): bool => isset($this->done[$id]), $this);
            return $this->done[$id];
        } finally {
            curl_multi_remove_handle($multi, $handle);
            unset($this->done[$id]);
            $this->active--;
        }
    }

    private function settings(Attempt $attempt, Incoming $incoming): array
    {
        $headers = ['Expect:', "Authorization: Bearer {$attempt->key->reveal()}"];
        foreach ($attempt->headers + ['content-type' => null] as $name => $value) {
            $headers[] = $value === null ? "$name:" : "$name: $value";
        }
        $milliseconds = static fn (float $seconds): int => max(1, (int) round(1_000 * $seconds));
        return [
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_SUPPRESS_CONNECT_HEADERS => true,
            CURLOPT_FRESH_CONNECT => $attempt->fresh,
            CURLOPT_MAXAGE_CONN => self::IDLE_SECONDS,
            CURLOPT_CONNECTTIMEOUT_MS => $milliseconds($attempt->connectTimeout),
            CURLOPT_HEADERFUNCTION => $incoming->header(...),
            CURLOPT_WRITEFUNCTION => $incoming->write(...),
            CURLOPT_SSL_VERIFYPEER => true,
            CURLOPT_SSL_VERIFYHOST => 2,
        ] + $this->route() + self::content($attempt) + ($attempt->sink === null
            ? [CURLOPT_TIMEOUT_MS => $milliseconds($attempt->timeout)]
            : [CURLOPT_LOW_SPEED_LIMIT => 1, CURLOPT_LOW_SPEED_TIME => self::BETWEEN_BYTES]);
    }

    private function route(): array
    {
        $ca = $this->options->get('caFile');
        $env = static fn (string $name): string => getenv($name) ?: '';
        $proxy = $this->options->get('proxy') ?? Options::environmentProxy($this->options->url, $env);
        // An empty one keeps libcurl from looking into the environment by itself.
        return [CURLOPT_PROXY => $proxy ?? '', CURLOPT_NOPROXY => '']
            + ($ca === null ? [] : [CURLOPT_CAINFO => $ca]);
    }

    private static function content(Attempt $attempt): array
    {
        if ($attempt->body === null && $attempt->http === 'GET') {
            return [CURLOPT_HTTPGET => true];
        }
        if ($attempt->body === null && $attempt->http !== 'POST') {
            return [CURLOPT_CUSTOMREQUEST => $attempt->http];
        }
        return [CURLOPT_CUSTOMREQUEST => $attempt->http, CURLOPT_POSTFIELDS => $attempt->body ?? ''];
    }

    private function failure(\CurlHandle $handle, int $code, Attempt $attempt): Failure
    {
        $text = curl_error($handle) ?: curl_strerror($code);
        $slow = $code === CURLE_OPERATION_TIMEDOUT;
        $sent = curl_getinfo($handle, CURLINFO_PRETRANSFER_TIME_T) > 0;
        $dropped = $code === CURLE_SSL_CONNECT_ERROR && preg_match(self::DROPPED, $text) === 1;
        if (in_array($code, self::TLS, true) && !$dropped) {
            return new Failure(new Outcome(Outcome::TLS), 'tls', $text);
        }
        if (!$sent || in_array($code, self::NO_CONNECTION, true)) {
            return new Failure(new Outcome(Outcome::NO_CONNECTION), 'connect', $text, $slow);
        }
        $upload = curl_getinfo($handle, CURLINFO_SIZE_UPLOAD_T);
        $phase = $upload < strlen($attempt->body ?? '') ? 'send' : 'receive';
        return new Failure(new Outcome($slow ? Outcome::TIMEOUT : Outcome::LOST_ANSWER), $phase, $text, $slow);
    }
}
