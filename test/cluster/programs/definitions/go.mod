// What brings the kinds that components build upon: their CustomResourceDefinitions come with their modules.
module github.com/example/memcached-operator/test/cluster/programs/definitions

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
