package walk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	mc "github.com/example/memcached-operator/test/internal/metacontroller"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	uidLabel     = "controller-uid"
	resyncPeriod = 5 * time.Minute
	rulesPeriod  = 20 * time.Minute
)

// hook posts a request to the URL of a hook, at a time, and returns the response; nil if the hook has nothing to say.
type hook func(url string, request []byte, now time.Time) []byte

// controllerJSON is the part of the CompositeController that hooks read, and kinds are its kinds of children.
var controllerJSON, kinds = func() (string, []string) {
	resources := [][3]string{{"apps/v1", "deployments", "Deployment"}, {"apps/v1", "statefulsets", "StatefulSet"}, {"v1", "services", "Service"},
		{"policy/v1", "poddisruptionbudgets", "PodDisruptionBudget"}, {"networking.k8s.io/v1", "networkpolicies", "NetworkPolicy"},
		{"batch/v1", "jobs", "Job"}, {"monitoring.coreos.com/v1", "servicemonitors", "ServiceMonitor"}}
	var listed, kinds []string
	for _, r := range resources {
		listed = append(listed, fmt.Sprintf(`{"apiVersion":%q,"resource":%q,"updateStrategy":{"method":"InPlace"}}`, r[0], r[1]))
		kinds = append(kinds, r[2]+"."+r[0])
	}
	return `{"spec":{"childResources":[` + strings.Join(listed, ",") + `]}}`, kinds
}()

// metacontroller is a model of Metacontroller 4.17 with dynamic apply, for one parent.
type metacontroller struct {
	cluster
	parent parent
	hook   hook
	skew   time.Duration // how far the clock of the hook is ahead
	order  *rand.Rand    // the order in which Metacontroller applies children; nil for the order of the response

	last     *observation // of the last sync
	response []byte
	body     response
	resync   time.Time // when resyncAfterSeconds or the resync period ends
	endsSoon bool      // whether AtRisk has reported that a grace period is too short
	awaited  bool      // whether the hook has set resyncAfterSeconds
	retry    bool      // the last sync has failed
	syncs    int
	desired  []*unstructured.Unstructured // the children of the response
	// decoded has the children of all responses by their JSON, and unchanged those that did not change an observed child.
	decoded   map[string]*unstructured.Unstructured
	unchanged map[*object]*unstructured.Unstructured

	rules       []mc.Rule
	rulesFor    string // UID and generation
	rulesExpire time.Time
}

type response struct {
	Status             map[string]any
	Children           []json.RawMessage
	ResyncAfterSeconds float64
}

// sync calls the hook and applies at most so many of the writes. Then Metacontroller is killed, unless all writes are applied.
func (m *metacontroller) sync(v *observation, writes int) {
	m.syncs++
	m.writes = nil
	m.last, m.retry = v, false
	answer := m.hook("/memcached/sync", v.request(), m.now.Add(m.skew))
	if answer == nil { // nothing changes, and the last response remains
		must(invalid(decoded[v1alpha1.MemcachedStatus](v.parent.status)), "only an invalid spec that the status reports changes nothing: %s", v.parent.status)
		m.resync, m.awaited = m.now.Add(resyncPeriod), false
		return
	}
	m.response, m.body = answer, response{}
	if err := json.Unmarshal(m.response, &m.body); err != nil {
		fail("sync: %v: %.300s", err, m.response)
	}
	m.resync, m.awaited = m.now.Add(resyncPeriod), m.body.ResyncAfterSeconds > 0
	if after := time.Duration(m.body.ResyncAfterSeconds * float64(time.Second)); m.awaited && after < resyncPeriod {
		m.resync = m.now.Add(max(after, time.Second).Round(time.Second))
	}
	steps := m.plan(v)
	if m.order != nil {
		m.order.Shuffle(len(steps)-1, func(i, j int) { steps[i], steps[j] = steps[j], steps[i] }) // the status comes last
	}
	for i, write := range steps {
		if i == writes {
			m.retry, m.rulesFor = true, "" // the cache of the rules is lost too
			break
		}
		if write() != nil {
			m.retry = true
		}
	}
	m.check(v)
}

// plan returns what Metacontroller does with a response: it deletes children, creates and updates others, and writes the status.
func (m *metacontroller) plan(v *observation) []func() error {
	var steps []func() error
	observed, desired := map[string]*object{}, map[string]bool{}
	m.desired = nil
	for _, o := range v.children {
		observed[o.key()] = o
	}
	for _, text := range m.body.Children {
		child := m.decode(text)
		if uid := child.GetLabels()[uidLabel]; uid != "" && uid != string(v.parent.uid) {
			fail("%s has the label %s of another parent: Metacontroller refuses the response", keyIn(child), uidLabel)
		}
		if desired[keyIn(child)] {
			fail("the response has %s twice", keyIn(child))
		}
		desired[keyIn(child)] = true
		m.desired = append(m.desired, child)
		steps = append(steps, m.apply(observed[keyIn(child)], child, &v.parent))
	}
	var deletes []func() error
	for _, o := range v.children {
		if !desired[o.key()] {
			deletes = append(deletes, func() error { return m.write(&v.parent, o.key(), func() error { return m.remove(o) }) })
		}
	}
	return append(append(deletes, steps...), func() error { return m.writeStatus(v) })
}

// decode decodes a child of a response. The same child is decoded once.
func (m *metacontroller) decode(text json.RawMessage) *unstructured.Unstructured {
	if m.decoded[string(text)] == nil {
		m.decoded[string(text)] = decodeObject(text)
	}
	return m.decoded[string(text)]
}

// apply applies a desired child with the label of the parent.
func (m *metacontroller) apply(observed *object, child *unstructured.Unstructured, p *parent) func() error {
	if observed != nil && observed.GetKind() == "Job" { // its update strategy is OnDelete
		return func() error { return nil }
	}
	if observed != nil && m.unchanged[observed] == child && observed.GetLabels()[uidLabel] == string(p.uid) {
		return func() error { return nil }
	}
	desired := child.DeepCopy()
	desired.SetLabels(withEntry(desired.GetLabels(), uidLabel, string(p.uid)))
	if observed == nil {
		return func() error {
			created := mc.Created(desired)
			created.SetOwnerReferences([]metav1.OwnerReference{controllerRef(p)})
			return m.write(p, keyIn(created), func() error { return m.create(created, m.now) })
		}
	}
	return func() error {
		next := mc.Updated(observed.Unstructured, desired)
		if reflect.DeepEqual(next.Object, observed.Object) {
			m.unchanged[observed] = child
			return nil
		}
		return m.write(p, observed.key(), func() error { return m.update(observed, next, m.now) })
	}
}

// write does a write that follows from an observed parent, and checks what it does.
func (m *metacontroller) write(p *parent, key string, do func() error) error {
	before := m.children[key]
	err := do()
	m.mustKeepPromises(before, m.children[key], p)
	return err
}

// writeStatus replaces the status of the parent if the live parent is the observed one.
func (m *metacontroller) writeStatus(v *observation) error {
	m.body.Status["observedGeneration"] = v.parent.generation
	text, err := json.Marshal(m.body.Status)
	if err != nil {
		panic(err)
	}
	if m.parent.uid == v.parent.uid && !bytes.Equal(text, m.parent.status) {
		m.parent.status = text
		m.writes = append(m.writes, "status")
	}
	return nil
}
