package memcached

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

type observation = composite.Observed[*Memcached, children, related]

func (c Config) sync(observed observation) (composite.Desired[Status], error) {
	memcached := observed.Parent
	pods := object.LivePods(observed.Related.Pods.All(), memcached.Namespace, selectorLabels(memcached))
	err := validate(memcached)
	if err == nil {
		err = keepsWorkload(memcached, &observed.Children)
	}
	if err != nil {
		return composite.Keep(&observed, invalidStatus(&observed, pods, err), err)
	}
	workload, err := ownWorkload(memcached, &observed.Children)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	scale := scaleOf(memcached, workload, observed.Now)
	image, err := reloaderImage(c.SidecarImage, memcached, workload, pods)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	children := desired(memcached, scale.replicas, image, &observed.Children)
	assessed, wait, err := assess(&observed, workload, pods, scale, children, image)
	if err != nil {
		return composite.Desired[Status]{}, err
	}
	status, progress := paced(memcached.Status, assessed, observed.Now)
	return composite.Desired[Status]{
		Status:      status,
		Children:    children,
		ResyncAfter: object.Soonest(progress, scale.wait, wait),
	}, nil
}

// keepsWorkload refuses a parent whose pods run in a workload of the other kind.
func keepsWorkload(memcached *Memcached, children *children) error {
	kind, others := StatefulSetWorkload, children.StatefulSets
	if workloadKind(&memcached.Spec) == StatefulSetWorkload {
		kind, others = DeploymentWorkload, children.Deployments
	}
	if others.Len() == 0 {
		return nil
	}
	return fmt.Errorf("spec.workload cannot be changed from %s to %s, because the cache would start empty: set it back, or create another Memcached", kind, workloadKind(&memcached.Spec))
}

// ownWorkload returns the workload, nil when there is none yet. One of unknown size is refused: it would read as a workload
// without pods.
func ownWorkload(memcached *Memcached, children *children) (*object.Workload, error) {
	own := children.Deployments
	if workloadKind(&memcached.Spec) == StatefulSetWorkload {
		own = children.StatefulSets
	}
	workload := own.Get(memcached.Namespace, memcached.Name)
	if workload != nil && (workload.Spec.Replicas == nil || *workload.Spec.Replicas < 0) {
		return nil, &composite.RequestError{Err: fmt.Errorf("%s %s has no spec.replicas of 0 or more, as every one in an API server has", workloadKind(&memcached.Spec), memcached.Name)}
	}
	return workload, nil
}

// holders returns the objects that have the name of the workload, one of its kind and one of the other, nil when there are
// none.
func holders(memcached *Memcached, related *related) (*object.Holder, *object.Leftover) {
	own, other, otherKind := related.Deployments, related.StatefulSets, StatefulSetWorkload
	if workloadKind(&memcached.Spec) == StatefulSetWorkload {
		own, other, otherKind = other, own, DeploymentWorkload
	}
	holder := own.Get(memcached.Namespace, memcached.Name)
	if leftover := other.Get(memcached.Namespace, memcached.Name); leftover != nil {
		return holder, &object.Leftover{Holder: leftover, Kind: string(otherKind)}
	}
	return holder, nil
}

// desired returns the children, the workload first. A child of a kind that the CompositeController does not list would never
// be deleted.
func desired(memcached *Memcached, replicas int32, reloaderImage string, observed *children) []runtime.Object {
	children := []runtime.Object{
		workloadOf(memcached, replicas, reloaderImage),
		keepForeignAnnotations(service(memcached), observed.Services.Get(memcached.Namespace, memcached.Name)),
	}
	if budget := podDisruptionBudget(memcached, replicas); budget != nil {
		children = append(children, budget)
	}
	if policy := networkPolicy(memcached); policy != nil {
		children = append(children, policy)
	}
	if monitor := serviceMonitor(memcached); monitor != nil && observed.ServiceMonitors.Listed() {
		children = append(children, monitor)
	}
	return children
}

func workloadOf(memcached *Memcached, replicas int32, reloaderImage string) runtime.Object {
	meta := metav1.ObjectMeta{
		Name:        memcached.Name,
		Namespace:   memcached.Namespace,
		Labels:      labels(memcached),
		Annotations: workloadAnnotations(memcached, reloaderImage),
	}
	template := podTemplate(memcached, reloaderImage)
	if workloadKind(&memcached.Spec) == StatefulSetWorkload {
		return statefulSet(memcached, meta, replicas, template)
	}
	return deployment(memcached, meta, replicas, template)
}
