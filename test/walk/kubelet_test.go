package walk

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// pod is a pod with what its kubelet will do.
type pod struct {
	corev1.Pod
	owner    types.UID // of the workload
	revision string    // of the pod template
	startAt  time.Time // when a node starts it
	readyAt  time.Time // when its containers are ready
	goneAt   time.Time // when a deleted pod is gone
	// unreadyUntil is when the probe of the first container succeeds again. It runs meanwhile.
	unreadyUntil time.Time
	fault        string // why the first container cannot run
	ready        bool
	reached      bool // a proxy has reached a server since its start
	raw          []byte
	routes       routes       // of a proxy
	items        map[int]bool // the keys of a server
}

// delay returns a delay that depends only on the seed and what is delayed, so that it is the same in two runs.
func (c *cluster) delay(what string, most int) time.Duration {
	hash := fnv.New32a()
	fmt.Fprint(hash, c.seed, what)
	return time.Duration(1+hash.Sum32()%uint32(most)) * 5 * time.Second
}

// newPod returns a pod that is not on a node yet.
func (c *cluster) newPod(name string, owner *object, t *template) *pod {
	c.serial++
	p := &pod{owner: owner.GetUID(), revision: t.revision, routes: routesIn(t.Annotations), items: map[int]bool{}, startAt: c.now.Add(2 * time.Second)}
	p.readyAt = p.startAt.Add(c.delay("start of "+name, 4))
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	p.ObjectMeta = metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID(fmt.Sprint("pod-", c.serial)), CreationTimestamp: metav1.NewTime(c.now),
		Labels: t.Labels, Annotations: t.Annotations}
	if owner.GetKind() == "StatefulSet" {
		p.Labels = withEntry(t.Labels, "controller-revision-hash", t.revision)
	}
	p.Spec.TerminationGracePeriodSeconds = t.Spec.TerminationGracePeriodSeconds
	for _, sidecar := range t.Spec.InitContainers {
		p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{Name: sidecar.Name, Image: sidecar.Image, RestartPolicy: sidecar.RestartPolicy})
	}
	for _, container := range t.Spec.Containers {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: container.Name, Image: container.Image})
	}
	p.Status.Phase = corev1.PodPending
	return p
}

// run lets the kubelet of a pod do what it has to do by now.
func (c *cluster) run(p *pod) {
	started, ready := !c.now.Before(p.startAt), !c.now.Before(p.readyAt) && !c.now.Before(p.unreadyUntil) && p.fault == "" && c.faults[p.Name] == ""
	if p.DeletionTimestamp != nil && !p.Status.StartTime.IsZero() && c.now.After(p.DeletionTimestamp.Add(-5*time.Second)) {
		ready = false // the containers have stopped
	}
	if ready && !p.reached {
		p.reached = c.reaches(p)
		ready = p.reached
	}
	fault := c.faults[p.Name]
	if p.raw != nil && started == !p.Status.StartTime.IsZero() && ready == p.ready && fault == p.fault {
		return
	}
	p.ready, p.fault = ready, fault
	p.setStatus(c, started)
	if !p.serves() {
		clear(p.items)
	}
	p.changed()
}

func (p *pod) changed() {
	shown := p.DeepCopy() // a volume has the annotations; the hook does not read them
	shown.Annotations, shown.Spec = nil, corev1.PodSpec{}
	var err error
	if p.raw, err = json.Marshal(shown); err != nil {
		panic(err)
	}
}

func (p *pod) setStatus(c *cluster, started bool) {
	status := corev1.ConditionFalse
	if p.ready {
		status = corev1.ConditionTrue
	}
	condition := corev1.PodCondition{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(c.now)}
	if !p.ready {
		condition.Reason = "ContainersNotReady"
	}
	p.Status.Conditions = []corev1.PodCondition{condition}
	if !started {
		return
	}
	if p.Status.StartTime.IsZero() {
		p.Status.StartTime = new(metav1.NewTime(c.now))
		p.Status.PodIP = fmt.Sprintf("10.%d.%d.%d", c.serial>>16&255, c.serial>>8&255, c.serial&255)
	}
	p.Status.InitContainerStatuses = nil
	for _, sidecar := range p.Spec.InitContainers {
		running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: *p.Status.StartTime}}
		if sidecar.RestartPolicy == nil { // it has ended
			running = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
		}
		p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, corev1.ContainerStatus{Name: sidecar.Name, Image: sidecar.Image, Ready: true, State: running})
	}
	p.Status.Phase, p.Status.ContainerStatuses = corev1.PodRunning, nil
	for i, container := range p.Spec.Containers {
		next := corev1.ContainerStatus{Name: container.Name, Image: container.Image, Ready: p.ready || i > 0 && !c.now.Before(p.readyAt)}
		switch {
		case next.Ready, p.probeFails(c):
			next.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.readyAt)}
		case p.fault != "":
			next.State.Waiting = &corev1.ContainerStateWaiting{Reason: p.fault}
		default:
			next.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
		}
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, next)
	}
}

// probeFails reports whether the first container runs, and is not ready for a while.
func (p *pod) probeFails(c *cluster) bool {
	return p.fault == "" && c.now.Before(p.unreadyUntil) && !c.now.Before(p.readyAt) && (p.DeletionTimestamp == nil || c.now.Before(p.DeletionTimestamp.Add(-5*time.Second)))
}

// readySince returns since when a pod is ready; zero if it is not.
func (p *pod) readySince() time.Time {
	if !p.ready || len(p.Status.Conditions) == 0 {
		return time.Time{}
	}
	return p.Status.Conditions[0].LastTransitionTime.Time
}

// terminate deletes a pod. It remains until its grace period ends, or a little earlier, or later on a slow node.
func (c *cluster) terminate(p *pod) {
	if p.DeletionTimestamp != nil {
		return
	}
	grace := time.Duration(*p.Spec.TerminationGracePeriodSeconds) * time.Second
	if p.Status.StartTime.IsZero() {
		grace = 0 // nothing runs
	}
	p.DeletionTimestamp = new(metav1.NewTime(c.now.Add(grace)))
	p.goneAt = p.DeletionTimestamp.Add(c.delay("end of "+p.Name, 6) - 20*time.Second)
	if p.goneAt.Before(c.now) {
		p.goneAt = c.now.Add(time.Second)
	}
	p.changed()
}

// kubelets lets all kubelets work. A lost node changes nothing.
func (c *cluster) kubelets() {
	c.pods = slices.DeleteFunc(c.pods, func(p *pod) bool {
		if c.lost[p.Name] {
			return false
		}
		if !p.goneAt.IsZero() && !c.now.Before(p.goneAt) {
			return true
		}
		if end := c.now.Add(holdEnd); p.DeletionTimestamp != nil && p.holds() && p.goneAt.After(end) && !c.connected(p) {
			p.goneAt = end
		}
		c.run(p)
		return false
	})
}

// holdEnd is how long a server serves on that was deleted, and that no proxy is connected to.
const holdEnd = 4 * time.Second

// holds reports whether a sidecar lets a server serve on.
func (p *pod) holds() bool {
	return slices.ContainsFunc(p.Status.InitContainerStatuses, func(sidecar corev1.ContainerStatus) bool { return sidecar.Name == children.HoldName })
}

// reaches reports whether a pod is no proxy, or one that finds both servers of a slot ready.
func (c *cluster) reaches(p *pod) bool {
	r := moves.ParseRoutes(p.Labels[proxy.RoutesLabel])
	if r == (moves.Routes{}) {
		return true
	}
	serves := func(ordinal int32) bool {
		return slices.ContainsFunc(c.pods, func(server *pod) bool { return server.Name == fmt.Sprint(name, "-", ordinal) && server.ready })
	}
	from, to := r.From.BySlot(), r.To.BySlot()
	if r.Phase == moves.Steady || r.Phase == moves.Announcing {
		return slices.ContainsFunc(from, serves)
	}
	for before := range from {
		for after := range to {
			if (before == after || before >= len(to) || after >= len(from)) && serves(from[before]) && serves(to[after]) {
				return true
			}
		}
	}
	return false
}

// connected reports whether a proxy runs that is connected to a server.
func (c *cluster) connected(server *pod) bool {
	ordinal, _ := strconv.Atoi(strings.TrimPrefix(server.Name, name+"-"))
	return slices.ContainsFunc(c.pods, func(p *pod) bool {
		return !p.Status.StartTime.IsZero() && p.routes.knows(ordinal)
	})
}

// live returns the pods of a workload that are not being deleted.
func (c *cluster) live(owner types.UID) []*pod {
	var live []*pod
	for _, p := range c.pods {
		if p.owner == owner && p.DeletionTimestamp == nil {
			live = append(live, p)
		}
	}
	return live
}

// timers returns when pods and workloads change next.
func (c *cluster) timers() []time.Time {
	var timers []time.Time
	for _, p := range c.pods {
		if !c.lost[p.Name] {
			timers = append(timers, p.startAt, p.readyAt, p.unreadyUntil, p.goneAt)
		}
		if !p.reached && c.now.After(p.readyAt) {
			timers = append(timers, c.now.Add(time.Second))
		}
		if p.DeletionTimestamp != nil {
			timers = append(timers, p.DeletionTimestamp.Add(-4*time.Second))
		}
		for _, o := range c.children {
			if o.GetUID() == p.owner && p.ready {
				timers = append(timers, p.readySince().Add(time.Duration(o.number("spec", "minReadySeconds"))*time.Second))
			}
		}
	}
	for _, o := range c.children {
		if o.GetKind() == "Job" {
			timers = append(timers, c.jobEnd(o), c.jobEnd(o).Add(-jobRuns))
		}
	}
	return slices.DeleteFunc(timers, func(at time.Time) bool { return !at.After(c.now) })
}
