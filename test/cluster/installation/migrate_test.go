package installation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// plain is a handwritten Deployment of memcached.
const plain = `apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: LABELS}
  template:
    metadata: {labels: LABELS}
    spec: {containers: [{name: memcached, image: "memcached:1.6"}]}
`

func plainDeployment(name, labels string) string {
	return strings.NewReplacer("NAME", name, "LABELS", labels).Replace(plain)
}

// TestMigrateFromDeployment checks the migration page: a new cache runs in parallel to the old one. It also checks the page's
// warning about selectors.
func TestMigrateFromDeployment(t *testing.T) {
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "old.yaml", plainDeployment("old", "{app: memcached}")+`---
apiVersion: v1
kind: Service
metadata: {name: old, namespace: default}
spec: {selector: {app: memcached}, ports: [{port: 11211}]}
`))
	kubectl(t, "wait", "--for=condition=Available", "deployment/old", "--timeout=2m")
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", cache("sessions", 2)))
	kubectl(t, "wait", "--for=condition=Ready", "memcached/sessions", "--timeout=2m")
	if ready := kubectl(t, "get", "deployment", "old", "--output", "jsonpath={.status.readyReplicas}"); ready != "1" {
		t.Errorf("the old Deployment has %s ready pods, want 1", ready)
	}
	waitFor(t, "the old Service with the selector app=memcached also selects the new pods, as the page warns", func() (string, bool) {
		out := kubectl(t, "get", "endpointslices", "--selector", "kubernetes.io/service-name=old", "--output", "jsonpath={.items[*].endpoints[*].targetRef.name}")
		return out, strings.Contains(out, "sessions-")
	})
	kubectl(t, "delete", "deployment/old", "service/old")
	if servers := kubectl(t, "get", "memcached", "sessions", "--output", "jsonpath={.status.servers}"); strings.Count(servers, ":11211") != 2 {
		t.Errorf("status.servers is %s, want 2 servers", servers)
	}
}

// TestMigrateFromSample checks the steps of the page for the Operator SDK's sample, which owns a Deployment with the name of
// its resource. The Deployment outlives the resource and serves in parallel to the new cache until it is deleted.
func TestMigrateFromSample(t *testing.T) {
	kill(t)
	createSample(t, "before")
	kubectl(t, "patch", "memcached", "before", "--type", "merge", "--patch", `{"metadata":{"finalizers":null}}`)
	kubectl(t, "delete", "memcached", "before", "--cascade=orphan", "--timeout=1m")
	start(t)
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", cache("after", 2)))
	kubectl(t, "wait", "--for=condition=Ready", "memcached/after", "--timeout=2m")
	if owners := kubectl(t, "get", "deployment", "before", "--output", "jsonpath={.metadata.ownerReferences}{.status.readyReplicas}"); owners != "1" {
		t.Errorf("want a Deployment without an owner and with one ready pod: %s", owners)
	}
	kubectl(t, "delete", "deployment", "before")
}

// TestNameOfAnotherDeployment checks the documented behaviour for an existing Deployment with the name of the resource, which
// Metacontroller leaves alone by default.
func TestNameOfAnotherDeployment(t *testing.T) {
	kill(t)
	createSample(t, "taken")
	start(t)
	waitFor(t, "Metacontroller releases the sample's Deployment", func() (string, bool) {
		owners := kubectl(t, "get", "deployment", "taken", "--output", "jsonpath={.metadata.ownerReferences}")
		return owners, owners == ""
	})
	waitFor(t, "the status has the reason DeploymentMissing after a minute", func() (string, bool) {
		status := kubectl(t, "get", "memcached", "taken", "--output", `jsonpath={.status.conditions[?(@.type=="Degraded")].reason}`)
		return status, status == "DeploymentMissing"
	})
	kubectl(t, "delete", "deployment", "taken")
	kubectl(t, "wait", "--for=condition=Ready", "memcached/taken", "--timeout=2m")
}

// createSample creates the objects of a stopped sample operator: a resource with a finalizer, and its Deployment with the
// same name.
func createSample(t *testing.T, name string) {
	t.Helper()
	resource := strings.Replace(cache(name, 1), "metadata: {", "metadata: {finalizers: [cache.example.com/finalizer], ", 1)
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "resource.yaml", resource))
	uid := kubectl(t, "get", "memcached", name, "--output", "jsonpath={.metadata.uid}")
	labels := fmt.Sprintf("{app.kubernetes.io/name: Memcached, app.kubernetes.io/instance: %s, app.kubernetes.io/version: 1.4.36-alpine}", name)
	owner := fmt.Sprintf("ownerReferences: [{apiVersion: cache.example.com/v1alpha1, kind: Memcached, name: %s, uid: %s, controller: true, blockOwnerDeletion: true}], ", name, uid)
	deployment := strings.Replace(plainDeployment(name, labels), "metadata: {", "metadata: {"+owner, 1)
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "deployment.yaml", deployment))
	kubectl(t, "wait", "--for=condition=Available", "deployment/"+name, "--timeout=2m")
}

func kill(t *testing.T) {
	t.Helper()
	if err := installed.Metacontroller.Kill(); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T) {
	t.Helper()
	if err := installed.Metacontroller.Start(); err != nil {
		t.Fatal(err)
	}
}

// waitFor calls done until it returns true. After two minutes it fails the test with the last output.
func waitFor(t *testing.T, what string, done func() (string, bool)) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		output, ok := done()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: timeout after two minutes: %s", what, output)
		}
	}
}
