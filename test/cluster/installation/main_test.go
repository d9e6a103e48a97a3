// Package installation installs this repository on a real API server as README describes, with all security and monitoring
// components, and runs the commands of the documentation.
package installation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/cluster/clustertest"
)

const root = "../../.."

var (
	installed *cluster.Cluster
	signer    = ca.New()
)

func TestMain(m *testing.M) {
	os.Exit(cluster.RunTests(m, install))
}

// install applies an overlay of manifests/production and the monitoring component.
func install(ctx context.Context, options cluster.Options) (*cluster.Cluster, error) {
	dir, err := os.MkdirTemp("", "overlay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	manifests, err := filepath.Abs(filepath.Join(root, "manifests"))
	if err != nil {
		return nil, err
	}
	up, err := filepath.Rel(dir, manifests)
	if err != nil {
		return nil, err
	}
	overlay := fmt.Sprintf("resources: [%[1]s/production]\ncomponents: [%[1]s/components/monitoring]\n", up)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(overlay), 0o600); err != nil {
		return nil, err
	}
	apply := func(ctx context.Context, c *cluster.Cluster) error {
		if err := cluster.Kustomize(dir)(ctx, c); err != nil {
			return err
		}
		return issue(ctx, c)
	}
	installed, err = cluster.Install(ctx, apply, options)
	return installed, err
}

// issue creates the Secret of each Certificate, as cert-manager does, and the Secret of the token, as the TLS page describes.
func issue(ctx context.Context, c *cluster.Cluster) error {
	var certificates unstructured.UnstructuredList
	certificates.SetGroupVersionKind(schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "CertificateList"})
	if err := c.Client.List(ctx, &certificates); err != nil {
		return err
	}
	for _, certificate := range certificates.Items {
		names, found, err := unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
		if err != nil {
			return err
		}
		if !found {
			continue // the CA's own Certificate
		}
		secret, _, err := unstructured.NestedString(certificate.Object, "spec", "secretName")
		if err != nil {
			return err
		}
		public, private := signer.Issue(ca.Subject{DNSName: names[0]})
		err = c.Client.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: certificate.GetNamespace(), Name: secret},
			Type:       corev1.SecretTypeTLS,
			Data:       map[string][]byte{"tls.crt": public, "tls.key": private, "ca.crt": signer.PEM()},
		})
		if err != nil {
			return err
		}
	}
	out, err := c.RunKubectl(ctx, "create", "secret", "generic", "memcached-operator-token", "--namespace", "memcached-operator",
		"--from-literal=tokens="+token, "--from-literal=token="+token)
	if err != nil {
		return fmt.Errorf("create the token: %w: %s", err, out)
	}
	return nil
}

const token = "f3b1c0de"

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return clustertest.Run(t, installed.RunKubectl, args...)
}
