// Package customize is that of Metacontroller: compare adds this file to it.
package customize

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic/fake"
	fakeclientset "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"metacontroller/pkg/apis/metacontroller/v1alpha1"
	"metacontroller/pkg/controller/common"
	"metacontroller/pkg/controller/common/api"
	commonv2 "metacontroller/pkg/controller/common/api/v2"
	customizev1 "metacontroller/pkg/controller/common/customize/api/v1"
	customizev2 "metacontroller/pkg/controller/common/customize/api/v2"
	dynamicclientset "metacontroller/pkg/dynamic/clientset"
	dynamicdiscovery "metacontroller/pkg/dynamic/discovery"
	dynamicinformer "metacontroller/pkg/dynamic/informer"
	"metacontroller/pkg/internal/testutils/dynamic/discovery"
)

// ruleHook returns one rule.
type ruleHook struct {
	version v1alpha1.HookVersion
	rule    *v1alpha1.RelatedResourceRule
}

func (h ruleHook) IsEnabled() bool                  { return true }
func (h ruleHook) GetVersion() v1alpha1.HookVersion { return h.version }
func (h ruleHook) Call(_ context.Context, _ api.WebhookRequest, into any) error {
	switch into := into.(type) {
	case *customizev1.CustomizeHookResponse:
		into.RelatedResourceRules = []*v1alpha1.RelatedResourceRule{h.rule}
	case *customizev2.CustomizeHookResponse:
		into.RelatedResourceRules = []*v1alpha1.RelatedResourceRule{h.rule}
	}
	return nil
}

func TestCompare(t *testing.T) {
	var cases struct {
		Objects []map[string]any
		Applies []struct{ Observed, Desired map[string]any }
		Rules   []struct {
			V2, SyncV2 bool
			Namespace  string
			Rule       json.RawMessage
		}
	}
	text, err := os.ReadFile(os.Getenv("COMPARE_CASES"))
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	for _, c := range cases.Applies {
		after, err := common.ApplyUpdate(&unstructured.Unstructured{Object: c.Observed}, &unstructured.Unstructured{Object: c.Desired})
		if err != nil {
			results = append(results, "error")
			continue
		}
		text, err := json.Marshal(after.Object)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, string(text))
	}
	rm := manager(t, cases.Objects)
	for i, c := range cases.Rules {
		hook := ruleHook{version: v1alpha1.HookVersionV1, rule: &v1alpha1.RelatedResourceRule{}}
		if c.V2 {
			hook.version = v1alpha1.HookVersionV2
		}
		if err := json.Unmarshal(c.Rule, hook.rule); err != nil {
			t.Fatal(err)
		}
		rm.customizeHook = hook
		results = append(results, related(t, rm, parentOf(i, c.Namespace), c.SyncV2))
	}
	text, err = json.Marshal(results)
	if err == nil {
		err = os.WriteFile(os.Getenv("COMPARE_RESULTS"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func parentOf(i int, namespace string) *unstructured.Unstructured {
	parent := &unstructured.Unstructured{Object: map[string]any{}}
	parent.SetAPIVersion("example.com/v1")
	parent.SetKind("Thing")
	if namespace == "" {
		parent.SetKind("ClusterThing")
	}
	parent.SetName("a")
	parent.SetNamespace(namespace)
	parent.SetUID(types.UID(fmt.Sprint(i)))
	return parent
}

// related returns the sorted keys of the related objects that the sync hook gets.
func related(t *testing.T, rm *Manager, parent *unstructured.Unstructured, syncV2 bool) string {
	for range 1000 {
		found, err := rm.GetRelatedObjects(t.Context(), parent)
		if err == ErrRelatedInformerNotSynced {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			return "error"
		}
		keys := map[string]bool{}
		uniform := found.(commonv2.UniformObjectMap)
		for _, group := range uniform {
			for key := range group {
				keys[key] = syncV2
			}
		}
		if !syncV2 {
			clear(keys)
			for _, group := range uniform.Convert(parent) {
				for key := range group {
					keys[key] = true
				}
			}
		}
		return fmt.Sprint(slices.Sorted(maps.Keys(keys)))
	}
	t.Fatal("an informer does not sync")
	return ""
}

// manager returns a manager of a cluster with the objects.
func manager(t *testing.T, objects []map[string]any) *Manager {
	simple := fakeclientset.NewClientset()
	simple.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "configmaps", Kind: "ConfigMap", Namespaced: true, Version: "v1"},
		{Name: "namespaces", Kind: "Namespace", Version: "v1"},
		{Name: "nodes", Kind: "Node", Version: "v1"},
	}}}
	lists := map[schema.GroupVersionResource]string{}
	for resource, kind := range map[string]string{"configmaps": "ConfigMap", "namespaces": "Namespace", "nodes": "Node"} {
		lists[schema.GroupVersionResource{Version: "v1", Resource: resource}] = kind + "List"
	}
	var stored []runtime.Object
	for _, o := range objects {
		stored = append(stored, &unstructured.Unstructured{Object: o})
	}
	client := dynamicclientset.NewClientset(&rest.Config{}, discovery.NewFakeResourceMap(simple), fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, stored...))
	informers := dynamicinformer.NewSharedInformerFactory(client, 0)
	namespaces, err := informers.Resource(t.Context(), "v1", "namespaces")
	if err != nil {
		t.Fatal(err)
	}
	kinds := common.NewGroupKindMap()
	for kind, namespaced := range map[string]bool{"Thing": true, "ClusterThing": false} {
		kinds.Set(schema.GroupKind{Group: "example.com", Kind: kind}, &dynamicdiscovery.APIResource{
			APIResource: metav1.APIResource{Kind: kind, Namespaced: namespaced, Group: "example.com", Version: "v1"},
		})
	}
	rm := &Manager{
		controller: &v1alpha1.CompositeController{}, parentKinds: kinds, dynClient: client, dynInformers: informers, nsInformer: namespaces,
		parentInformers: common.NewInformerMap(), relatedInformers: common.NewInformerMap(), logger: logr.Discard(),
		customizeCache: newResponseCache(), informerCtx: t.Context(),
	}
	rm.Start(t.Context())
	return rm
}
