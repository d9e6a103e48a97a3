package memcached

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

func (c Config) sync(observed composite.Observed[*Memcached, children, related]) (composite.Desired[Status], error) {
	memcached := observed.Parent
	if err := validate(memcached); err != nil {
		return composite.Desired[Status]{}, &composite.ParentError{Err: err}
	}
	workload, err := ownWorkload(memcached, observed.Children)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	pods := object.LivePods(observed.Related.Pods.All(), memcached.Namespace, selectorLabels(memcached))
	scale := scaleOf(memcached, workload, observed.Now)
	has := optional{
		reloaderImage:   reloaderImage(c.SidecarImage, &memcached.Spec, workload),
		serviceMonitors: observed.Children.ServiceMonitors.Listed(),
	}
	_, kills := killedLately(pods, observed.Now)
	_, mounts := notMounted(&memcached.Spec, pods, observed.Now)
	_, reloads := secretsCurrent(&memcached.Spec, has.reloaderImage, pods, observed.Now)
	children := desired(memcached, scale.replicas, has)
	beside := missing(children[1:], observed.Children)
	status, progress := paced(memcached.Status, status(memcached, workload, scale, pods, has, beside, observed.Now), observed.Now)
	return composite.Desired[Status]{
		Status:      status,
		Children:    children,
		ResyncAfter: soonest(progress, scale.wait, kills, mounts, reloads),
	}, nil
}

// soonest is the shortest of several times to wait, of which 0 is none.
func soonest(waits ...time.Duration) time.Duration {
	shortest := time.Duration(0)
	for _, wait := range waits {
		if wait > 0 && (shortest == 0 || wait < shortest) {
			shortest = wait
		}
	}
	return shortest
}

// ownWorkload returns the workload of the kind that is asked for, nil when there is none yet. Where one of the other
// kind runs, nothing may change: to leave it out of the answer is to delete it, with all that is cached. Nor may anything
// where its size is unknown, which would read as none, and steps start from it.
func ownWorkload(memcached *Memcached, children children) (*object.Workload, error) {
	asked := memcached.Spec.workload()
	own, otherKind, others := children.Deployments, StatefulSetWorkload, children.StatefulSets
	if asked == StatefulSetWorkload {
		own, otherKind, others = children.StatefulSets, DeploymentWorkload, children.Deployments
	}
	if others.Len() > 0 {
		return nil, &composite.ParentError{Err: fmt.Errorf("spec.workload cannot be changed from %s to %s, for the cache would start empty: set it back, or make another Memcached beside this one", otherKind, asked)}
	}
	workload := own.Get(memcached.Namespace, memcached.Name)
	if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
		return nil, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, as every one in an API server has", asked, memcached.Name)}
	}
	return workload, nil
}

// optional is what an installation has, or has not.
type optional struct {
	// reloaderImage is "" where no reloader runs.
	reloaderImage string
	// serviceMonitors is true where the CompositeController lists that kind: what it does not list is never deleted.
	serviceMonitors bool
}

// desired are the children, the workload before those beside it, of which a nil one is not wanted.
func desired(memcached *Memcached, replicas int32, has optional) []runtime.Object {
	template := podTemplate(memcached, has.reloaderImage)
	var workload runtime.Object = deployment(memcached, replicas, template)
	if memcached.Spec.workload() == StatefulSetWorkload {
		workload = statefulSet(memcached, replicas, template)
	}
	children := []runtime.Object{workload, service(memcached)}
	if budget := podDisruptionBudget(memcached, replicas); budget != nil {
		children = append(children, budget)
	}
	if policy := networkPolicy(memcached); policy != nil {
		children = append(children, policy)
	}
	if monitor := serviceMonitor(memcached); monitor != nil && has.serviceMonitors {
		children = append(children, monitor)
	}
	return children
}
