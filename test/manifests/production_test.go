package manifests

import (
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// certificate has the fields of a cert-manager Certificate that the manifests set.
type certificate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		IsCA        bool           `json:"isCA"`
		CommonName  string         `json:"commonName"`
		SecretName  string         `json:"secretName"`
		DNSNames    []string       `json:"dnsNames"`
		Usages      []string       `json:"usages"`
		Duration    string         `json:"duration"`
		RenewBefore string         `json:"renewBefore"`
		PrivateKey  map[string]any `json:"privateKey"`
		IssuerRef   struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"issuerRef"`
	} `json:"spec"`
}

// production builds manifests/production with manifests/all instead of manifests/default.
func production(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var kustomization struct {
		Components []string `json:"components"`
	}
	convert(t, readObject(t, filepath.Join(root, "manifests/production/kustomization.yaml")), &kustomization)
	for i, component := range kustomization.Components {
		kustomization.Components[i] = path.Join("production", component)
	}
	for _, component := range kustomizations(t, "manifests/components") {
		// Two components need the CRDs of the Prometheus operator, which not every production cluster has. One gives users more power.
		optional := []string{"manifests/components/monitoring", "manifests/components/service-monitors", "manifests/components/aggregate-to-edit"}
		if !slices.Contains(optional, component) && !slices.Contains(kustomization.Components, strings.TrimPrefix(component, "manifests/")) {
			t.Errorf("production does not include %s", component)
		}
	}
	return overlay(t, []string{"all"}, kustomization.Components)
}

// TestProductionCallers checks that Metacontroller calls every hook over TLS with the credentials that the hook requires.
func TestProductionCallers(t *testing.T) {
	objects := production(t)
	checkInstallation(t, objects)
	spec := only[appsv1.Deployment](t, objects, "Deployment").Spec.Template.Spec
	server, client := certificates(t, objects)
	token := mounted(t, spec, "--token-file=")
	for _, controller := range find[compositeController](t, objects, "CompositeController") {
		if len(controller.Spec.EndpointConfigs) != 1 {
			t.Fatalf("%s: %d endpoint configs, want 1", controller.Name, len(controller.Spec.EndpointConfigs))
		}
		config := controller.Spec.EndpointConfigs[0]
		for name, hook := range controller.hooks() {
			service := hook.Webhook.Service
			host := service.Name + "." + service.Namespace
			if service.Protocol != "https" || service.Port != 443 {
				t.Errorf("%s, %s hook: protocol %q and port %d, want https and 443", controller.Name, name, service.Protocol, service.Port)
			}
			if host != config.Host || !slices.Contains(server.Spec.DNSNames, host) {
				t.Errorf("%s, %s hook: the host is %s, but the endpoint config has %s and the certificate %v", controller.Name, name, host, config.Host, server.Spec.DNSNames)
			}
		}
		if config.CABundle.SecretRef.Name != server.Spec.SecretName || config.CABundle.SecretRef.Key != "ca.crt" {
			t.Errorf("%s trusts %v, want the CA of the hook's certificate", controller.Name, config.CABundle)
		}
		if config.ClientTLS.SecretRef.Name != client.Spec.SecretName {
			t.Errorf("%s presents the certificate in %v, want the client certificate", controller.Name, config.ClientTLS)
		}
		if config.Authorization.SecretRef.Name != token || config.Authorization.Type != "Bearer" {
			t.Errorf("%s sends the token in %v, but the hook accepts the tokens in %s", controller.Name, config.Authorization, token)
		}
		for _, ref := range []secretRef{config.CABundle.SecretRef, config.ClientTLS.SecretRef, config.Authorization.SecretRef} {
			if ref.Namespace != server.Namespace {
				t.Errorf("%s: the Secret %s has the wrong namespace %q", controller.Name, ref.Name, ref.Namespace)
			}
		}
	}
}

// TestProductionFiles checks that the program accepts its flags, and that the Secrets with their files are mounted.
func TestProductionFiles(t *testing.T) {
	objects := production(t)
	spec := only[appsv1.Deployment](t, objects, "Deployment").Spec.Template.Spec
	server, client := certificates(t, objects)
	for _, flag := range []string{"--tls-cert=", "--tls-key=", "--client-ca="} {
		if secret := mounted(t, spec, flag); secret != server.Spec.SecretName {
			t.Errorf("%s is a file of the Secret %s, but the certificate is in %s", flag, secret, server.Spec.SecretName)
		}
	}
	if names := argument(t, spec, "--client-names="); !slices.Contains(client.Spec.DNSNames, names) {
		t.Errorf("the hook accepts the name %s, but the client certificate has %v", names, client.Spec.DNSNames)
	}
	if !slices.Contains(server.Spec.Usages, "server auth") || slices.Contains(server.Spec.Usages, "client auth") || !slices.Contains(client.Spec.Usages, "client auth") {
		t.Errorf("the server certificate has the usages %v and the client certificate %v", server.Spec.Usages, client.Spec.Usages)
	}
	args := append([]string{"run", "."}, spec.Containers[0].Args...)
	command := exec.CommandContext(t.Context(), "go", append(args, "-h")...)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("the program does not accept its arguments: %v: %s", err, output)
	}
}

// certificates returns the certificates of the hook and of its clients.
func certificates(t *testing.T, objects []*unstructured.Unstructured) (server, client certificate) {
	t.Helper()
	found := map[string]certificate{}
	for _, each := range find[certificate](t, objects, "Certificate") {
		found[each.Name] = each
	}
	server, client = found["memcached-operator"], found["memcached-operator-client"]
	if server.Spec.IssuerRef != client.Spec.IssuerRef || server.Spec.IssuerRef.Name == "" {
		t.Errorf("the issuer of the server certificate is %v, but that of the client certificate is %v", server.Spec.IssuerRef, client.Spec.IssuerRef)
	}
	return server, client
}

// argument returns the value of the argument with a prefix. It fails without such an argument.
func argument(t *testing.T, spec corev1.PodSpec, prefix string) string {
	t.Helper()
	for _, arg := range spec.Containers[0].Args {
		if value, ok := strings.CutPrefix(arg, prefix); ok {
			return value
		}
	}
	t.Fatalf("no argument %s", prefix)
	return ""
}

// mounted returns the name of the Secret with the file of a flag.
func mounted(t *testing.T, spec corev1.PodSpec, flag string) string {
	t.Helper()
	dir := path.Dir(argument(t, spec, flag))
	for _, mount := range spec.Containers[0].VolumeMounts {
		for _, volume := range spec.Volumes {
			if mount.MountPath == dir && mount.Name == volume.Name && volume.Secret != nil {
				if mount.SubPath != "" || !mount.ReadOnly {
					t.Errorf("%s: the mount must be read-only and have no subPath, which the kubelet never updates", dir)
				}
				return volume.Secret.SecretName
			}
		}
	}
	t.Fatalf("%s: no Secret is mounted at %s", flag, dir)
	return ""
}

// only returns the only object of a kind.
func only[T any](t *testing.T, objects []*unstructured.Unstructured, kind string) T {
	t.Helper()
	found := find[T](t, objects, kind)
	if len(found) != 1 {
		t.Fatalf("%d objects of kind %s, want 1", len(found), kind)
	}
	return found[0]
}
