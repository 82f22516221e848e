<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\ConfigurationError;
use Acuse\Internal\Evidence\PolicyDocument;
use Acuse\Internal\Evidence\Refused;
use Acuse\Internal\Evidence\StrictJson;

/**
 * Whom to trust: log keys, time-stamping authorities, witnesses. A pinned policy asks for its whole quorum of
 * witnesses, whatever a bundle says of itself.
 */
final class Policy
{
    private function __construct(private readonly PolicyDocument $document)
    {
    }

    /**
     * Reads a file with your policy, such as a policy.json that you have compared with what you know.
     * @throws ConfigurationError it cannot be read, or is not a policy
     */
    public static function load(string $path): self
    {
        $json = is_file($path) ? @file_get_contents($path) : false;
        if ($json === false) {
            throw new ConfigurationError("The policy cannot be read: $path.");
        }
        return self::fromJson($json);
    }

    /**
     * @param string $json type acuse/policy/v1
     * @throws ConfigurationError it is not a policy
     */
    public static function fromJson(string $json): self
    {
        Verifier::needExtensions();
        try {
            return new self(PolicyDocument::read(StrictJson::read($json, 'trust'), own: false));
        } catch (Refused $problem) {
            throw new ConfigurationError("This is not a policy: {$problem->getMessage()}.");
        }
    }

    /** @internal */
    public function document(): PolicyDocument
    {
        return $this->document;
    }
}
