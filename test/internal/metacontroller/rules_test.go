package metacontroller

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func TestRule(t *testing.T) {
	all, red := &metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{"color": "red"}}
	v1, v2, cluster := Scope{Namespace: "web"}, Scope{V2: true, Namespace: "web"}, Scope{Namespace: "web", Cluster: true}
	namespaces := map[string]labels.Set{"web": {"color": "red"}, "other": {"color": "blue"}}
	for _, test := range []struct {
		reason    string
		rule      Rule
		scope     Scope
		namespace string // of the object a, which is red
		want      bool
		problem   string
	}{
		{"v1 is confined to the namespace of the parent", Rule{LabelSelector: all}, v1, "other", false, ""},
		{"v2 is not", Rule{LabelSelector: all}, v2, "other", true, ""},
		{"no selector selects all", Rule{}, v1, "web", true, ""},
		{"another label", Rule{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"color": "blue"}}}, v2, "web", false, ""},
		{"the namespace beside the labels", Rule{LabelSelector: red, Namespace: "other"}, v2, "web", false, ""},
		{"names", Rule{Names: []string{"a"}}, v2, "other", true, ""},
		{"v1 does not confine names: Sent does", Rule{Names: []string{"a"}}, v1, "other", true, ""},
		{"another name", Rule{Names: []string{"b"}}, v2, "other", false, ""},
		{"a namespace that the selector selects", Rule{NamespaceSelector: red}, v2, "web", true, ""},
		{"a namespace that it does not select", Rule{NamespaceSelector: red}, v2, "other", false, ""},
		{"a namespace that does not exist", Rule{NamespaceSelector: all}, v2, "gone", false, ""},
		{"an object without a namespace", Rule{LabelSelector: red, Namespace: "ignored"}, cluster, "", true, ""},
		{"names and an empty selector", Rule{Names: []string{"a"}, LabelSelector: all}, v2, "web", false, "both names and a selector"},
		{"namespace and namespaceSelector", Rule{Namespace: "web", NamespaceSelector: all}, v2, "web", false, "both namespace and"},
		{"namespaceSelector in v1", Rule{NamespaceSelector: all}, v1, "web", false, "needs version v2"},
		{"namespaceSelector of a kind without a namespace", Rule{NamespaceSelector: all, Resource: "nodes"}, cluster, "", false, "nodes have no namespace"},
		{"another namespace in v1", Rule{Names: []string{"a"}, Namespace: "other"}, v1, "other", false, "needs version v2"},
	} {
		object := &metav1.ObjectMeta{Name: "a", Namespace: test.namespace, Labels: map[string]string{"color": "red"}}
		got := test.rule.Selects(test.scope, object, namespaces)
		problem := ""
		if err := test.rule.Check(test.scope); err != nil {
			problem = err.Error()
		}
		if got != test.want || !strings.Contains(problem, test.problem) || test.problem == "" && problem != "" {
			t.Errorf("%s: got %t and %q, want %t and %q", test.reason, got, problem, test.want, test.problem)
		}
	}
}
