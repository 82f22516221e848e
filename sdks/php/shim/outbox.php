<?php

declare(strict_types=1);

// Run and killed by sdks/conformance/run/outbox.mjs: setup | add ADDRESS KEY… | send.
use Acuse\Client;
use Acuse\Outbox;

require __DIR__ . '/../autoload.php';

$url = parse_url(getenv('DATABASE_URL'));
$database = new PDO(
    "pgsql:host={$url['host']};port={$url['port']};dbname=" . ltrim($url['path'], '/'),
    $url['user'],
);
[, $what, $to] = $argv + [2 => ''];
if ($what === 'setup') {
    $database->exec('create table invoices (number text primary key); ' . Outbox::TABLE);
} elseif ($what === 'add') {
    foreach (array_slice($argv, 3) as $key) {
        $database->beginTransaction();
        $database->prepare('insert into invoices (number) values (?) on conflict do nothing')->execute([$key]);
        $message = ['from' => 'billing@sandbox.test', 'to' => $to, 'subject' => "Invoice $key", 'text' => 'Hello.'];
        Outbox::add($database, $message, $key);
        $database->commit();
    }
} else {
    echo (new Client())->sendOutbox($database), "\n";
}
