<?php

require is_file('vendor/autoload.php') ? 'vendor/autoload.php' : __DIR__ . '/../autoload.php';

// Pin the key once, where you know whose it is, and keep it with the checkpoint.
$acuse = new Acuse\Client();
$saved = $acuse->log->checkpoint($acuse->log->key());
file_put_contents('checkpoint.json', json_encode(['note' => $saved->note, 'key' => $saved->key]));

// Later: has the log only grown since?
$kept = json_decode(file_get_contents('checkpoint.json'));
$now = $acuse->log->follow(Acuse\Checkpoint::load($kept->note, $kept->key));
echo $now->origin, ' ', $now->size >= $saved->size ? 'continues' : 'went back', PHP_EOL;
