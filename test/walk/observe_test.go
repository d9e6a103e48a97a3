package walk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	mc "github.com/example/memcached-operator/test/internal/metacontroller"
)

// observation is what one sync observes.
type observation struct {
	parent   parent // a copy
	children []*object
	pods     [][]byte // sorted by name
	podNames []string
}

// claim adopts orphans with the label of the parent, and releases children that have lost it.
func (m *metacontroller) claim() {
	for _, key := range m.keys() {
		o := m.children[key]
		switch mine := o.GetLabels()[uidLabel] == string(m.parent.uid); {
		case o.owner() == m.parent.uid && !mine:
			m.edit(key, m.now, func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) })
		case o.owner() == "" && mine:
			m.edit(key, m.now, func(o *unstructured.Unstructured) {
				o.SetOwnerReferences([]metav1.OwnerReference{controllerRef(&m.parent)})
			})
		}
	}
}

func (m *metacontroller) observe() *observation {
	m.claim()
	v := &observation{parent: m.parent}
	for _, key := range m.keys() {
		if o := m.children[key]; o.owner() == m.parent.uid {
			v.children = append(v.children, o)
		}
	}
	m.customize()
	pods := slices.Clone(m.pods)
	slices.SortFunc(pods, func(a, b *pod) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range pods {
		if slices.ContainsFunc(m.rules, func(r mc.Rule) bool {
			return r.Resource == "pods" && r.Selects(mc.Scope{Namespace: namespace}, p, nil)
		}) {
			v.pods, v.podNames = append(v.pods, p.raw), append(v.podNames, p.Name)
		}
	}
	return v
}

// customize gets the rules for pods, which are cached for each generation.
func (m *metacontroller) customize() {
	identity := fmt.Sprint(m.parent.uid, m.parent.generation)
	if m.rulesFor == identity && m.now.Before(m.rulesExpire) {
		return
	}
	body := m.hook("/memcached/customize", []byte(`{"controller":`+controllerJSON+`,"parent":`+string(m.parent.raw())+`}`), m.now.Add(m.skew))
	var got struct{ RelatedResources []mc.Rule }
	if err := json.Unmarshal(body, &got); err != nil {
		fail("customize: %v: %s", err, body)
	}
	m.rules, m.rulesFor, m.rulesExpire = got.RelatedResources, identity, m.now.Add(rulesPeriod)
}

// request returns the request of a sync.
func (v *observation) request() []byte {
	var b bytes.Buffer
	b.WriteString(`{"controller":` + controllerJSON + `,"parent":`)
	b.Write(v.parent.raw())
	b.WriteString(`,"children":{`)
	for i, kind := range kinds {
		fmt.Fprintf(&b, "%s%q:{", comma(i), kind)
		n := 0
		for _, o := range v.children {
			if o.group() == kind {
				fmt.Fprintf(&b, "%s%q:", comma(n), o.GetName())
				b.Write(o.raw)
				n++
			}
		}
		b.WriteString("}")
	}
	b.WriteString(`},"related":{"Pod.v1":{`)
	for i, raw := range v.pods {
		fmt.Fprintf(&b, "%s%q:", comma(i), v.podNames[i])
		b.Write(raw)
	}
	b.WriteString(`}},"finalizing":false}`)
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// same reports whether Metacontroller observes no change since the last sync. Writes of the status cause no sync.
func (v *observation) same(last *observation) bool {
	return last != nil && v.parent.uid == last.parent.uid && v.parent.generation == last.parent.generation &&
		slices.Equal(v.children, last.children) && reflect.DeepEqual(v.pods, last.pods)
}

// lag replaces the children of a kind by those of an earlier observation.
func (v *observation) lag(old *observation, kind string) {
	v.children = slices.DeleteFunc(v.children, func(o *object) bool { return o.group() == kind })
	for _, o := range old.children {
		if o.group() == kind {
			v.children = append(v.children, o)
		}
	}
}
