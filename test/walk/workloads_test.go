package walk

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// cluster is a model of a cluster without Metacontroller: the API server, the controllers of workloads, and kubelets.
type cluster struct {
	apiServer
	seed   uint64
	now    time.Time
	pods   []*pod
	serial int
	faults map[string]string // why the container of a pod cannot run, by the name of the pod
	lost   map[string]bool   // pods whose node does not respond
	calm   bool              // whether only events happen that keep all items

	templates map[string]*template // by key, generation and UID of the workload
	current   map[string]*template // of status.currentRevision, by the UID of a StatefulSet
}

// template is a decoded pod template.
type template struct {
	corev1.PodTemplateSpec
	revision string
}

// workload is what the controllers read of a Deployment or a StatefulSet.
type workload struct {
	*object
	template           *template
	replicas           int
	surge, unavailable int
	minReady           time.Duration
	live, current      []*pod
	ready, available   int
}

func (c *cluster) templateOf(o *object) *template {
	key := o.key() + " " + strconv.FormatInt(o.GetGeneration(), 10) + string(o.GetUID())
	if found := c.templates[key]; found != nil {
		return found
	}
	fields, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "template")
	text, err := json.Marshal(fields)
	t := &template{}
	if err == nil {
		err = json.Unmarshal(text, &t.PodTemplateSpec)
	}
	if err != nil {
		panic(err)
	}
	hash := fnv.New32a()
	hash.Write(text)
	t.revision = fmt.Sprintf("%08x", hash.Sum32())
	c.templates[key] = t
	return t
}

func (c *cluster) workloadOf(o *object) *workload {
	w := &workload{object: o, template: c.templateOf(o), replicas: int(o.number("spec", "replicas"))}
	w.minReady = time.Duration(o.number("spec", "minReadySeconds")) * time.Second
	w.surge = scaled(o, w.replicas, true, "spec", "strategy", "rollingUpdate", "maxSurge")
	w.unavailable = scaled(o, w.replicas, false, "spec", "strategy", "rollingUpdate", "maxUnavailable")
	if w.surge == 0 && w.unavailable == 0 {
		w.unavailable = 1 // a small percentage, which is rounded down
	}
	w.live = c.live(o.GetUID())
	for _, p := range w.live {
		if p.revision == w.template.revision {
			w.current = append(w.current, p)
		}
		if p.ready {
			w.ready++
		}
		if c.available(w, p) {
			w.available++
		}
	}
	return w
}

func scaled(o *object, replicas int, roundUp bool, path ...string) int {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	count := intstr.Parse(fmt.Sprint(value))
	number, err := intstr.GetScaledValueFromIntOrPercent(&count, replicas, roundUp)
	if err != nil {
		return 0 // a StatefulSet
	}
	return number
}

func (c *cluster) available(w *workload, p *pod) bool {
	return p.ready && !c.now.Before(p.readySince().Add(w.minReady))
}

// control lets the controllers of workloads work once, and deletes pods whose workload is gone.
func (c *cluster) control() {
	for _, key := range c.keys() {
		o := c.children[key]
		switch o.GetKind() {
		case "Deployment":
			c.rollOut(c.workloadOf(o))
		case "StatefulSet":
			c.rollOutInOrder(c.workloadOf(o))
		case "Job":
			c.runJob(o)
			continue
		default:
			continue
		}
		c.report(c.workloadOf(o))
	}
	for _, p := range c.pods {
		gone := func(o *object) bool { return o.GetUID() == p.owner }
		if !slices.ContainsFunc(slices.Collect(maps.Values(c.children)), gone) {
			c.terminate(p)
		}
	}
}

// rollOut is the Deployment controller. Its ReplicaSets are the revisions of the pods.
func (c *cluster) rollOut(w *workload) {
	paused, _, _ := unstructured.NestedBool(w.Object, "spec", "paused")
	old := slices.DeleteFunc(slices.Clone(w.live), func(p *pod) bool { return slices.Contains(w.current, p) })
	if paused && len(old) > 0 {
		return
	}
	for missing := min(w.replicas-len(w.current), w.replicas+w.surge-len(w.live)); missing > 0; missing-- {
		c.serial++
		p := c.newPod(fmt.Sprintf("%s-%s-%05d", w.GetName(), w.template.revision, c.serial), w.object, w.template)
		c.pods = append(c.pods, p)
	}
	worst := func(a, b *pod) int { return boolToInt(c.available(w, a)) - boolToInt(c.available(w, b)) }
	slices.SortStableFunc(w.current, worst)
	for surplus := len(w.current) - w.replicas; surplus > 0; surplus-- {
		c.terminate(w.current[surplus-1])
	}
	slices.SortStableFunc(old, worst)
	minimum := w.replicas - w.unavailable
	spare, most := w.available-minimum, len(w.live)-minimum // as reconcileOldReplicaSets
	for _, p := range w.current {
		if !c.available(w, p) {
			most--
		}
	}
	for _, p := range old[:max(0, min(most, len(old)))] {
		if c.available(w, p) {
			spare--
		}
		if spare >= 0 || !c.available(w, p) {
			c.terminate(p)
		}
	}
}

// rollOutInOrder is the StatefulSet controller with parallel pod management. It replaces one pod at a time, the last one first.
func (c *cluster) rollOutInOrder(w *workload) {
	pods := map[string]*pod{}
	for _, p := range c.pods {
		if p.owner == w.GetUID() {
			pods[p.Name] = p
		}
	}
	replacing := false
	start, partition := int(w.number("spec", "ordinals", "start")), int(w.number("spec", "updateStrategy", "rollingUpdate", "partition"))
	current := c.currentRevision(w)
	for ordinal := start + w.replicas - 1; ordinal >= start; ordinal-- {
		wanted, kept := w.template, ordinal < start+partition
		if kept {
			wanted = current
		}
		name := fmt.Sprint(w.GetName(), "-", ordinal)
		p := pods[name]
		delete(pods, name)
		switch {
		case p == nil:
			if !slices.ContainsFunc(c.pods, func(p *pod) bool { return p.Name == name }) { // of a former StatefulSet
				c.pods = append(c.pods, c.newPod(name, w.object, wanted))
			}
			replacing = true
		case replacing:
		case p.DeletionTimestamp != nil:
			replacing = true
		case !kept && p.revision != w.template.revision:
			c.terminate(p)
			replacing = true
		default:
			replacing = !c.available(w, p)
		}
	}
	for _, p := range pods {
		c.terminate(p)
	}
}

// currentRevision returns the pod template of status.currentRevision: the one that all pods had last.
func (c *cluster) currentRevision(w *workload) *template {
	key := string(w.GetUID())
	if c.current == nil {
		c.current = map[string]*template{}
	}
	if c.current[key] == nil || len(w.current) == w.replicas && len(w.live) == w.replicas && w.ready == w.replicas {
		c.current[key] = w.template
	}
	return c.current[key]
}

// report writes the status of a workload.
func (c *cluster) report(w *workload) {
	status := map[string]any{
		"observedGeneration": w.GetGeneration(), "replicas": int64(len(w.live)), "updatedReplicas": int64(len(w.current)),
		"readyReplicas": int64(w.ready), "availableReplicas": int64(w.available),
	}
	if w.GetKind() == "StatefulSet" {
		status["updateRevision"] = w.template.revision
	}
	c.storeStatus(w.object, status)
}

// storeStatus stores the status of an object if it has changed.
func (c *cluster) storeStatus(o *object, status map[string]any) {
	if !reflect.DeepEqual(o.Object["status"], any(status)) {
		next := &unstructured.Unstructured{Object: maps.Clone(o.Object)}
		next.Object["metadata"] = maps.Clone(o.Object["metadata"].(map[string]any))
		next.Object["status"] = status
		c.store(next)
	}
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}

// controllerRef returns the ownerReference of a parent.
func controllerRef(p *parent) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "cache.example.com/v1alpha1", Kind: "Memcached", Name: p.name, UID: p.uid, Controller: new(true), BlockOwnerDeletion: new(true)}
}
