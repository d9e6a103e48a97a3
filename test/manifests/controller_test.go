package manifests

import (
	"cmp"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/conditions"
)

// compositeController has the fields of a CompositeController that the manifests set. Metacontroller has no Go package to
// import for its types. Decoding refuses other fields, so that a misspelt field fails.
type compositeController struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ParentResource struct {
			APIVersion          string `json:"apiVersion"`
			Resource            string `json:"resource"`
			IgnoreStatusChanges bool   `json:"ignoreStatusChanges"`
		} `json:"parentResource"`
		ChildResources []struct {
			APIVersion     string `json:"apiVersion"`
			Resource       string `json:"resource"`
			UpdateStrategy struct {
				Method string `json:"method"`
			} `json:"updateStrategy"`
		} `json:"childResources"`
		GenerateSelector    bool             `json:"generateSelector"`
		ResyncPeriodSeconds int32            `json:"resyncPeriodSeconds"`
		EndpointConfigs     []endpointConfig `json:"endpointConfigs"`
		Hooks               struct {
			Sync      *hook `json:"sync"`
			Finalize  *hook `json:"finalize"`
			Customize *hook `json:"customize"`
		} `json:"hooks"`
	} `json:"spec"`
}

type hook struct {
	Version string `json:"version"`
	Webhook struct {
		Service struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
			Protocol  string `json:"protocol"`
			Port      int32  `json:"port"`
		} `json:"service"`
		Path                   string `json:"path"`
		Timeout                string `json:"timeout"`
		ResponseUnMarshallMode string `json:"responseUnMarshallMode"`
	} `json:"webhook"`
}

func (h *hook) port() int32 {
	return cmp.Or(h.Webhook.Service.Port, 80)
}

// endpointConfig configures how Metacontroller calls the webhooks of a host.
type endpointConfig struct {
	Host     string `json:"host"`
	CABundle struct {
		SecretRef secretRef `json:"secretRef"`
	} `json:"caBundle"`
	ClientTLS struct {
		SecretRef secretRef `json:"secretRef"`
	} `json:"clientTLS"`
	Authorization struct {
		Type      string    `json:"type"`
		SecretRef secretRef `json:"secretRef"`
	} `json:"authorization"`
}

type secretRef struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
}

// hooks returns the configured hooks, by the last segment of their path.
func (c compositeController) hooks() map[string]*hook {
	set := map[string]*hook{}
	for name, hook := range map[string]*hook{
		"sync":      c.Spec.Hooks.Sync,
		"finalize":  c.Spec.Hooks.Finalize,
		"customize": c.Spec.Hooks.Customize,
	} {
		if hook != nil {
			set[name] = hook
		}
	}
	return set
}

// controllers returns every CompositeController below manifests/controllers.
func controllers(t *testing.T) []compositeController {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, dir := range kustomizations(t, "manifests/controllers") {
		objects = append(objects, build(t, dir)...)
	}
	found := find[compositeController](t, objects, "CompositeController")
	if len(found) == 0 {
		t.Fatal("no CompositeController below manifests/controllers")
	}
	return found
}

// TestControllers checks settings that every controller needs.
func TestControllers(t *testing.T) {
	for _, controller := range controllers(t) {
		t.Run(controller.Name, func(t *testing.T) {
			if !controller.Spec.ParentResource.IgnoreStatusChanges {
				t.Error("ignoreStatusChanges is false, so every status write causes another sync")
			}
			if got := time.Duration(controller.Spec.ResyncPeriodSeconds) * time.Second; got != conditions.ResyncPeriod {
				t.Errorf("resyncPeriodSeconds is %s: after a hook outage parents wait for it, or for their backoff, which is up to 16 minutes. The hook expects %s", got, conditions.ResyncPeriod)
			}
			for _, child := range controller.Spec.ChildResources {
				want := "InPlace"
				if child.Resource == "jobs" { // whose template is immutable
					want = "OnDelete"
				}
				if child.UpdateStrategy.Method != want {
					t.Errorf("%s: the update method is %q, want %s; the default, OnDelete, never updates", child.Resource, child.UpdateStrategy.Method, want)
				}
			}
			if controller.Spec.Hooks.Sync == nil {
				t.Fatal("the sync hook is missing")
			}
			if version := controller.Spec.Hooks.Sync.Version; version != "v1" {
				t.Errorf("hook version %s: with v2, Metacontroller compiles the selector of each parent for each event of a pod", version)
			}
			for name, hook := range controller.hooks() {
				if hook.Version != controller.Spec.Hooks.Sync.Version {
					t.Errorf("%s hook: version %q, but the sync hook has %q, which determines the format of related", name, hook.Version, controller.Spec.Hooks.Sync.Version)
				}
				if hook.Webhook.ResponseUnMarshallMode != "strict" {
					t.Errorf("%s hook: responseUnMarshallMode is not strict, so unknown fields in a response are ignored", name)
				}
				if timeout, err := time.ParseDuration(hook.Webhook.Timeout); err != nil || timeout <= 0 {
					t.Errorf("%s hook: timeout %q is not a positive duration (%v)", name, hook.Webhook.Timeout, err)
				}
			}
		})
	}
}

// TestMinimal checks that manifests/minimal differs from manifests/default only in the kinds of children.
func TestMinimal(t *testing.T) {
	minimal := find[compositeController](t, build(t, "manifests/minimal"), "CompositeController")[0]
	children := minimal.Spec.ChildResources
	if len(children) != 1 || children[0].APIVersion != "apps/v1" || children[0].Resource != "deployments" || children[0].UpdateStrategy.Method != "InPlace" {
		t.Errorf("child resources %v, want only Deployments that are updated in place", children)
	}
	want := find[compositeController](t, build(t, "manifests/default"), "CompositeController")[0]
	minimal.Spec.ChildResources = want.Spec.ChildResources
	if diff := gocmp.Diff(want, minimal); diff != "" {
		t.Errorf("other differences (-default +minimal):\n%s", diff)
	}
}
