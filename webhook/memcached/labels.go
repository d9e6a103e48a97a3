package memcached

import "github.com/example/memcached-operator/webhook/object"

// selectorLabels select the pods of one Memcached. A Deployment's selector can never be changed, so neither can these.
func selectorLabels(memcached *Memcached) map[string]string {
	return map[string]string{"app": "memcached", "memcached_cr": memcached.Name}
}

func labels(memcached *Memcached) map[string]string {
	return object.Labels(selectorLabels(memcached), "memcached", memcached.Name, "cache")
}
