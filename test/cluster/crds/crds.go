// Package crds pins the modules whose CRDs the tests install. The imports keep the modules in go.mod.
package crds

import (
	_ "github.com/cert-manager/cert-manager/pkg/apis/certmanager"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/versionutil"
)
