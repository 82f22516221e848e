<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Errors\AcuseError;
use Acuse\Errors\ConnectionError;
use Acuse\Errors\ProtocolError;
use Acuse\Errors\TimeoutError;
use Acuse\Model;
use Acuse\ResponseInfo;

/** Reads what an attempt came to. @internal */
final class Reader
{
    private const CODE = '/\A[a-z][a-z0-9_]{0,63}\z/';
    private const PHASES = [
        'connect' => 'No connection',
        'tls' => 'No trusted TLS connection',
        'send' => 'The request could not be sent whole',
        'receive' => 'No whole answer came',
    ];

    /** @param bool $unknown whether an earlier attempt may have been carried out */
    public function __construct(
        private readonly Request $request,
        private readonly Options $options,
        private readonly int $attempt,
        private readonly bool $unknown,
    ) {
    }

    /** @return array{?Outcome, Answer|AcuseError} */
    public function read(Reply|Failure $reply): array
    {
        if ($reply instanceof Failure) {
            return [$reply->outcome, $this->noAnswer($reply)];
        }
        try {
            if ($reply->tooLarge) {
                throw new Undecodable('the answer is larger than any that the contract has');
            }
            if ($reply->status >= 400) {
                return $this->refusal($reply);
            }
            return [null, $this->answer($reply, $this->valueOf($reply))];
        } catch (Undecodable $e) {
            $name = $this->request->operation['name'];
            $text = "$name was answered $reply->status, which is not what the contract says: {$e->getMessage()}.";
            $error = new ProtocolError($text, $reply->status);
            $error->outcomeUnknown = $this->request->changes();
            return [new Outcome(Outcome::MALFORMED), $error];
        }
    }

    private function noAnswer(Failure $failure): ConnectionError
    {
        $text = self::PHASES[$failure->phase] . " ({$this->request->operation['name']}): $failure->text";
        return $failure->slow ? new TimeoutError($text, $failure->phase) : new ConnectionError($text, $failure->phase);
    }

    private function refusal(Reply $reply): array
    {
        if ($this->request->operation['http'] === 'DELETE' && $reply->status === 404 && $this->unknown) {
            return [null, $this->answer($reply, null)];
        }
        [$code, $message] = self::envelope($reply);
        $after = Decide::retryAfterMs($reply->headers, $this->options->wallClockMs());
        $class = ErrorClasses::of($reply->status, $code);
        $requestId = self::requestId($reply);
        $error = new $class($reply->status, $code, $message, $requestId, $after === null ? null : $after / 1_000);
        return [new Outcome(Outcome::ANSWER, $reply->status, $code), $error];
    }

    /** An error that another program made is named by its status, without its HTML. */
    private static function envelope(Reply $reply): array
    {
        try {
            $error = Codec::parse($reply->body)->error ?? null;
        } catch (Undecodable) {
            $error = null;
        }
        $code = $error->code ?? null;
        $message = $error->message ?? null;
        if (is_string($code) && is_string($message) && preg_match(self::CODE, $code) === 1) {
            return [$code, $message];
        }
        return ["http_$reply->status", "The server answered $reply->status without an error of Acuse's."];
    }

    /** @throws Undecodable */
    private function valueOf(Reply $reply): mixed
    {
        if ($reply->status < 200 || $reply->status > 299) {
            throw new Undecodable('it is neither a success nor an error');
        }
        $operation = $this->request->operation;
        if ($operation['result'] === 'none') {
            return null;
        }
        if ($operation['result'] === 'bytes') {
            return $reply->body;
        }
        if (preg_match('//u', $reply->body) !== 1) {
            throw new Undecodable('its body is not UTF-8');
        }
        if ($operation['result'] === 'text') {
            return $reply->body;
        }
        return Codec::decode($operation['type'], Codec::parse($reply->body), $operation['name']);
    }

    /** The server's name for a request, fit to be shown. */
    public static function requestId(Reply $reply): ?string
    {
        return isset($reply->headers['request-id']) ? Redact::plain($reply->headers['request-id']) : null;
    }

    private function answer(Reply $reply, mixed $value): Answer
    {
        $requestId = self::requestId($reply);
        $info = new ResponseInfo($reply->status, $reply->headers, $requestId, $this->attempt);
        return new Answer($value instanceof Model ? $value->withResponse($info) : $value, $info);
    }
}
