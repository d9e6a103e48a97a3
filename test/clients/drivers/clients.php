<?php
// Runs the operations of PHP's Memcached: clients.php ADDRESS ADDRESS. cases_test.go describes them.

class Client
{
    private Memcached $client;
    private array $address;
    private mixed $unique = 0;

    public function __construct(string $address)
    {
        $this->address = explode(':', $address);
        $this->client = new Memcached();
        $this->client->setOptions([
            Memcached::OPT_CONNECT_TIMEOUT => 500,
            Memcached::OPT_POLL_TIMEOUT => 5000,
            Memcached::OPT_TCP_NODELAY => true,
            Memcached::OPT_COMPRESSION => false,
        ]);
        $this->client->addServer(...$this->address);
    }

    public function run(string $operation, array $args): mixed
    {
        $awaited = rtrim($operation, '!');
        $this->client->setOption(Memcached::OPT_NOREPLY, $awaited !== $operation);
        $result = match ($awaited) {
            'gets' => $this->gets(...$args),
            'cas' => $this->client->cas($this->unique, ...$args),
            'get_multi' => $this->client->getMulti(...$args),
            'incr' => $this->client->increment(...$args),
            'decr' => $this->client->decrement(...$args),
            'close' => $this->client->quit(),
            default => $this->client->$awaited(...$args),
        };
        if ($result !== false || $operation !== $awaited) {
            return $result;
        }
        return $this->client->getResultCode() === Memcached::RES_NOTFOUND ? null : $this->client->getResultMessage();
    }

    private function gets(string $key): mixed
    {
        $item = $this->client->get($key, null, Memcached::GET_EXTENDED);
        $this->unique = $item['cas'] ?? 0;
        return $item['value'] ?? false;
    }
}

echo phpversion('memcached'), "\n";
while (($line = fgets(STDIN)) !== false) {
    [$client, $operation] = $request = json_decode($line);
    if ($operation === 'new') {
        $clients = array_map(fn ($address) => new Client($address), array_slice($argv, 1));
        echo "null\n";
        continue;
    }
    echo json_encode($clients[$client]->run($operation, array_slice($request, 2)), JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
