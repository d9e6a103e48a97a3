package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	nginxKind             = schema.GroupVersionKind{Group: "proxy.example.com", Version: "v1alpha1", Kind: "Nginx"}
	customImageDeployKind = schema.GroupVersionKind{Group: "customimagedeploy.example.com", Version: "v1", Kind: "CustomImageDeploy"}
	ingressKind           = networkingv1.SchemeGroupVersion.WithKind("Ingress")
	serviceKind           = corev1.SchemeGroupVersion.WithKind("Service")
	statefulSetKind       = appsv1.SchemeGroupVersion.WithKind("StatefulSet")
	jobKind               = batchv1.SchemeGroupVersion.WithKind("Job")
	budgetKind            = policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")
	policyKind            = networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
	deploymentKind        = appsv1.SchemeGroupVersion.WithKind("Deployment")
)

func TestNginx(t *testing.T) {
	because(t, "a second kind of parent works through its own resource, scale subresource and labels")
	t.Parallel()
	namespace := newNamespace(t)
	apply(t, namespace, `
apiVersion: proxy.example.com/v1alpha1
kind: Nginx
metadata: {name: web}
spec: {count: 3}`)
	kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "nginx/web", "--timeout", waitTimeout.String())
	for _, count := range []int{1, 0, 2} {
		kubectl(t, "scale", "--namespace", namespace, "--replicas", strconv.Itoa(count), "nginx/web")
		kubectl(t, "wait", "--namespace", namespace, "--for", fmt.Sprintf("jsonpath={.status.replicas}=%d", count), "nginx/web", "--timeout", waitTimeout.String())
		kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "nginx/web", "--timeout", waitTimeout.String())
		n := get(t, nginxKind, namespace, "web")
		pods := strings.Fields(kubectl(t, "get", "pods", "--namespace", namespace, "--selector", "app=nginx,nginx_cr=web",
			"--output", "jsonpath={.items[*].metadata.name}"))
		slices.Sort(pods)
		if diff := cmp.Diff(pods, nodes(n), cmpopts.EquateEmpty()); diff != "" || len(pods) != count {
			t.Errorf("scaled to %d: status.nodes (-kubectl +status):\n%s", count, diff)
		}
	}
}

func TestCustomImageDeploy(t *testing.T) {
	because(t, "one resource creates three, and is ready only when clients can reach the pods")
	t.Parallel()
	namespace := newNamespaceOf(t, "baseline")
	apply(t, namespace, `
apiVersion: customimagedeploy.example.com/v1
kind: CustomImageDeploy
metadata: {name: shop}
spec: {image: "nginxinc/nginx-unprivileged:1.30.4-alpine", port: 8080, size: 2}`)
	kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "customimagedeploy/shop", "--timeout", waitTimeout.String())

	kubectl(t, "patch", "--namespace", namespace, "customimagedeploy/shop", "--type=merge",
		"--patch", `{"spec":{"image":"memcached:1.6.45-alpine","port":11211,"host":"shop.example.com","ingressClassName":"public"}}`)
	kubectl(t, "wait", "--namespace", namespace, "--for", `jsonpath={.status.conditions[?(@.type=="Ready")].reason}=AddressPending`,
		"customimagedeploy/shop", "--timeout", waitTimeout.String())

	kubectl(t, "patch", "--namespace", namespace, "ingress/shop", "--subresource=status", "--type=merge",
		"--patch", `{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.7"}]}}}`)
	kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "customimagedeploy/shop", "--timeout", waitTimeout.String())
	if address, _, _ := unstructured.NestedString(get(t, customImageDeployKind, namespace, "shop").Object, "status", "address"); address != "192.0.2.7" {
		t.Errorf("status.address is %q, want the address of the Ingress", address)
	}
}

// newCustomImageDeploy creates the CustomImageDeploy shop and waits until it is ready.
func newCustomImageDeploy(t *testing.T, namespace string) *unstructured.Unstructured {
	t.Helper()
	apply(t, namespace, `
apiVersion: customimagedeploy.example.com/v1
kind: CustomImageDeploy
metadata: {name: shop}
spec: {image: "nginxinc/nginx-unprivileged:1.30.4-alpine", port: 8080}`)
	kubectl(t, "wait", "--namespace", namespace, "--for=condition=Ready", "customimagedeploy/shop", "--timeout", waitTimeout.String())
	return get(t, customImageDeployKind, namespace, "shop")
}
