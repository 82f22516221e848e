<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Resources as R;

/** The resources of a client. @internal */
trait Resources
{
    public readonly R\Messages $messages;
    public readonly R\Evidence $evidence;
    public readonly R\Shares $shares;
    public readonly R\Templates $templates;
    public readonly R\Domains $domains;
    public readonly R\Senders $senders;
    public readonly R\Suppressions $suppressions;
    public readonly R\Webhooks $webhooks;
    public readonly R\Events $events;
    public readonly R\Rates $rates;
    public readonly R\Account $account;
    public readonly R\ApiKeys $apiKeys;
    public readonly R\Log $log;
    public readonly R\Health $health;

    private function connect(Core $core): void
    {
        $this->messages = new R\Messages($core);
        $this->evidence = new R\Evidence($core);
        $this->shares = new R\Shares($core);
        $this->templates = new R\Templates($core);
        $this->domains = new R\Domains($core);
        $this->senders = new R\Senders($core);
        $this->suppressions = new R\Suppressions($core);
        $this->webhooks = new R\Webhooks($core);
        $this->events = new R\Events($core);
        $this->rates = new R\Rates($core);
        $this->account = new R\Account($core);
        $this->apiKeys = new R\ApiKeys($core);
        $this->log = new R\Log($core);
        $this->health = new R\Health($core);
    }
}
