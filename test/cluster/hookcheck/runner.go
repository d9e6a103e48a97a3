package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/hookcheck/check"
)

// clusterCheck is a check of a parent in a cluster.
type clusterCheck struct {
	check.Check
	// run returns the problems of each parent.
	run func(ctx context.Context, r *runner, parents []*parent) ([][]string, error)
	// always is for checks that need no parent that has settled.
	always bool
}

// checks are all checks, in the order in which they run.
var checks = []clusterCheck{settles, statusStored, restarted, edited, drifted, recreated, deleted}

// runner checks parents in a cluster.
type runner struct {
	cluster  *cluster.Cluster
	subjects []*subject
	parents  []*parent

	mu     sync.Mutex
	offset int64
	log    []cluster.Request
}

// parent is a sample in its own namespace, so that every write in the namespace belongs to it.
type parent struct {
	*unstructured.Unstructured // as it was created
	subject                    *subject
	resource                   string
	settled                    bool
}

func (p *parent) key() types.NamespacedName { return client.ObjectKeyFromObject(p) }

// create creates a sample and the objects that it may relate to. Those without a namespace, and those of its namespace, get the
// namespace of the sample.
func (r *runner) create(ctx context.Context, s *subject, sample map[string]any, others []map[string]any) error {
	p := &parent{Unstructured: &unstructured.Unstructured{Object: clone(sample)}, subject: s}
	kind := p.GroupVersionKind()
	mapping, err := r.cluster.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	p.resource = mapping.Resource.Resource
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "hookcheck-"}}
	if err := r.cluster.Client.Create(ctx, namespace); err != nil {
		return err
	}
	for _, other := range others {
		o := &unstructured.Unstructured{Object: clone(other)}
		if o.GetNamespace() == "" || o.GetNamespace() == p.GetNamespace() {
			o.SetNamespace(namespace.Name)
		}
		err := r.cluster.Client.Create(ctx, o)
		if err != nil && !meta.IsNoMatchError(err) && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create the sample %s: %w", check.NameOf(other), err)
		}
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		p.SetNamespace(namespace.Name)
	}
	if err := r.cluster.Client.Create(ctx, p.Unstructured); err != nil {
		return fmt.Errorf("create the sample %s: %w", check.NameOf(sample), err)
	}
	r.parents = append(r.parents, p)
	return nil
}

// run runs all checks, each for all parents at the same time.
func (r *runner) run(ctx context.Context) (*check.ClusterReport, error) {
	report := &check.ClusterReport{Findings: []check.Finding{}}
	for _, c := range checks {
		report.Checks = append(report.Checks, c.Check)
		start := time.Now()
		parents := slices.DeleteFunc(slices.Clone(r.parents), func(p *parent) bool { return !p.settled && !c.always })
		problems, err := c.run(ctx, r, parents)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", c.ID, time.Since(start).Round(time.Second))
		for i, p := range parents {
			for _, message := range problems[i] {
				report.Findings = append(report.Findings, check.Finding{Check: c.ID, Case: check.NameOf(p.Object), Message: message})
			}
		}
	}
	return report, nil
}

// get returns the current state of an object; nil if it is gone.
func (r *runner) get(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(o.GroupVersionKind())
	if err := r.cluster.Client.Get(ctx, client.ObjectKeyFromObject(o), current); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return current, nil
}

// desired returns the children of the last response, in the namespace that they get.
func (p *parent) desired() (children []*unstructured.Unstructured) {
	syncs := p.subject.last(p.key())
	if len(syncs) == 0 {
		return nil
	}
	_, answer := syncs[len(syncs)-1].decoded()
	for _, each := range list(answer["children"]) {
		object, _ := each.(map[string]any) // null ends Metacontroller
		child := &unstructured.Unstructured{Object: object}
		if child.GetNamespace() == "" {
			child.SetNamespace(p.GetNamespace())
		}
		children = append(children, child)
	}
	return children
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

// each returns a function that runs a check for all parents at the same time.
func each(one func(ctx context.Context, r *runner, p *parent) ([]string, error)) func(context.Context, *runner, []*parent) ([][]string, error) {
	return func(ctx context.Context, r *runner, parents []*parent) ([][]string, error) {
		all, allCtx := errgroup.WithContext(ctx)
		problems := make([][]string, len(parents))
		for i, p := range parents {
			all.Go(func() (err error) {
				problems[i], err = one(allCtx, r, p)
				return err
			})
		}
		return problems, all.Wait()
	}
}
