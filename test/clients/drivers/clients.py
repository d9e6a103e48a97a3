"""Runs the operations of a Python library: clients.py LIBRARY ADDRESS ADDRESS. cases_test.go describes them."""
import importlib.metadata
import json
import os
import ssl
import sys


def tls():
    """Returns the context for the files in $TLS; None without TLS."""
    files = os.environ.get("TLS")
    if not files:
        return None
    context = ssl.create_default_context(cafile=files + "/ca.crt")
    context.load_cert_chain(files + "/tls.crt", files + "/tls.key")
    return context


class Library:
    """An operation is a method of the client, unless the class of the library has it. One with ! is not awaited."""

    def run(self, operation, *args):
        if operation.endswith("!"):
            return self.unawaited(operation[:-1], *args)
        if operation == "get_multi":
            return {k: text(v) for k, v in self.get_multi(*args).items()}
        own = getattr(self, operation, None) or getattr(self.client, operation)
        return own(*args)

    def unawaited(self, operation, *args):
        return getattr(self.client, operation)(*args, noreply=True)

    def get_multi(self, keys):
        return self.client.get_multi(keys)


class pymemcache(Library):
    def __init__(self, address):
        from pymemcache.client.base import Client
        self.client = Client(address, connect_timeout=1, timeout=5, no_delay=True, default_noreply=False, tls_context=tls())

    def gets(self, key):
        value, self.unique = self.client.gets(key)
        return value

    def cas(self, key, value):
        return self.client.cas(key, value, self.unique)


class Django(Library):
    """With the configuration of manifests/docs/connect.md."""

    unawaited = None

    def __init__(self, address, dead_timeout=1):
        from django.conf import settings
        from django.core.cache.backends.memcached import PyMemcacheCache
        if not settings.configured:
            settings.configure()
        options = {"connect_timeout": 0.5, "timeout": 0.5, "ignore_exc": True, "use_pooling": True, "dead_timeout": dead_timeout, "tls_context": tls()}
        self.client = PyMemcacheCache(address, {"OPTIONS": options, "KEY_FUNCTION": lambda key, prefix, version: key})

    def get_multi(self, keys):
        return self.client.get_many(keys)


class DjangoDefault(Django):
    package = "Django"

    def __init__(self, address):
        super().__init__(address, dead_timeout=60)


class pylibmc(Library):
    def __init__(self, address):
        import pylibmc
        self.client = pylibmc.Client([address], behaviors={"cas": True, "connect_timeout": 1000, "tcp_nodelay": True})

    def unawaited(self, operation, *args):
        self.client.behaviors["_noreply"] = 1
        try:
            return getattr(self.client, operation)(*args)
        finally:
            self.client.behaviors["_noreply"] = 0

    def gets(self, key):
        value, self.unique = self.client.gets(key)
        return value

    def cas(self, key, value):
        return self.client.cas(key, value, self.unique)

    def close(self):
        self.client.disconnect_all()


class python_memcached(Library):
    package = "python-memcached"

    def __init__(self, address, dead_retry=1):
        import memcache
        self.client = memcache.Client([address], dead_retry=dead_retry, cache_cas=True, server_max_value_length=4 << 20)

    def close(self):
        self.client.disconnect_all()


class python_memcached_default(python_memcached):
    def __init__(self, address):
        super().__init__(address, dead_retry=30)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def outcome(client, operation, args):
    try:
        return text(client.run(operation, *args))
    except Exception as e:  # each library has its own
        return f"{type(e).__name__}: {e}"


library = globals()[sys.argv[1]]
print(importlib.metadata.version(getattr(library, "package", sys.argv[1])), flush=True)
for line in sys.stdin:
    client, operation, *args = json.loads(line)
    if operation == "new":
        clients = [library(address) for address in sys.argv[2:]]
        response = None
    else:
        response = outcome(clients[client], operation, args)
    print(json.dumps(response), flush=True)
