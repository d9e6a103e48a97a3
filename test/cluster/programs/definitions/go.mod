// The modules with the CRDs of the kinds that manifests/components use.
module github.com/example/memcached-operator/test/cluster/programs/definitions

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
