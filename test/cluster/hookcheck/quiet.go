package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/hookcheck/check"
)

// until calls done until it returns no problem, and returns the last problems after so many calls that they count as endless. A machine that stands
// still, or is too busy for them, gets more time.
func (r *runner) until(ctx context.Context, done func() ([]string, error)) ([]string, error) {
	const interval = 100 * time.Millisecond
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for calls := 1; ; calls++ {
		problems, err := done()
		if err = errors.Join(err, r.cluster.Check()); err != nil || len(problems) == 0 || calls >= int(endless/interval) {
			return problems, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// quiet waits until three syncs after a time have changed nothing, and returns what prevents this.
func (r *runner) quiet(ctx context.Context, p *parent, since time.Time) ([]string, error) {
	return r.until(ctx, func() ([]string, error) { return r.unsettled(p, since) })
}

func (r *runner) unsettled(p *parent, since time.Time) ([]string, error) {
	syncs := p.subject.last(p.key())
	if len(syncs) < kept || syncs[0].start.Before(since) {
		return []string{"Metacontroller does not call sync again; end of its log:\n" + r.cluster.Log("metacontroller", 500)}, nil
	}
	for _, each := range syncs {
		if each.response.Code != 200 {
			return []string{fmt.Sprintf("sync returns %d: %.200s", each.response.Code, each.response.Body)}, nil
		}
	}
	writes, err := r.writes(p, syncs[0].start)
	if err != nil {
		return nil, err
	}
	request, answer := syncs[kept-1].decoded()
	if len(writes) > 0 {
		return append(describe(writes), reasons(p.subject.crds, request, answer)...), nil
	}
	if missing := reasons(p.subject.crds, request, answer); len(missing) > 0 {
		refused, err := r.requests(p, syncs[0].start)
		missing = append([]string{"Metacontroller does not apply the last response:"}, missing...) // such as a rolling update that waits
		return append(missing, describe(refused)...), err
	}
	if terminating := terminating(request); len(terminating) > 0 {
		return terminating, nil // then it is created again
	}
	observed := check.ObservedNames(request)
	for _, child := range check.NamesOf(answer) {
		if !slices.Contains(observed, child) {
			return []string{child + " is in the response, but Metacontroller does not observe it"}, nil
		}
	}
	return nil, nil
}

// terminating returns the observed children that are being deleted.
func terminating(request map[string]any) (found []string) {
	groups, _ := request["children"].(map[string]any)
	for _, group := range groups {
		for _, child := range group.(map[string]any) {
			if o := (&unstructured.Unstructured{Object: child.(map[string]any)}); o.GetDeletionTimestamp() != nil {
				found = append(found, check.NameOf(child)+" is being deleted")
			}
		}
	}
	return found
}

// reasons returns why Metacontroller writes children, according to the model of it.
func reasons(crds check.CRDs, request, answer map[string]any) (found []string) {
	_, writes := crds.Apply(request, answer)
	for _, w := range writes {
		if w.Child != "" {
			found = append(found, w.Child+" "+w.What)
		}
	}
	return found
}

// writes returns the requests of Metacontroller since a time that write in the namespace of a parent, but not its status, without
// those that are outdated.
func (r *runner) writes(p *parent, since time.Time) ([]cluster.Request, error) {
	all, err := r.requests(p, since)
	return slices.DeleteFunc(all, func(w cluster.Request) bool { return p.isStatus(w) || outdated(w) }), err
}

// outdated reports whether an object has changed, or is gone, since Metacontroller observed it. This is normal.
func outdated(w cluster.Request) bool {
	return w.ResponseStatus.Code == http.StatusConflict || w.ResponseStatus.Code == http.StatusNotFound
}

func (p *parent) isStatus(w cluster.Request) bool {
	return w.ObjectRef.Resource == p.resource && w.ObjectRef.Subresource == "status"
}

// requests returns the requests of Metacontroller since a time that write in the namespace of a parent.
func (r *runner) requests(p *parent, since time.Time) (found []cluster.Request, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	more, end, err := r.cluster.Requests(r.offset)
	r.log, r.offset = append(r.log, more...), end
	for _, w := range slices.Backward(r.log) {
		if w.RequestReceivedTimestamp.Before(since.Add(-time.Minute)) {
			break // requests end in another order than they begin, but no request takes a minute
		}
		if !w.RequestReceivedTimestamp.Before(since) && isWrite(w) && (p.GetNamespace() == "" || w.ObjectRef.Namespace == p.GetNamespace()) {
			found = append(found, w)
		}
	}
	return found, err
}

func isWrite(w cluster.Request) bool {
	if w.Verb == "get" || w.Verb == "list" || w.Verb == "watch" {
		return false
	}
	return w.ObjectRef.Resource != "events" && w.ObjectRef.Resource != "leases"
}

// describe returns a line for each kind of write.
func describe(writes []cluster.Request) []string {
	var lines []string
	count := map[string]int{}
	for _, w := range writes {
		line := strings.TrimSpace(fmt.Sprintf("%s %s %s %s", w.Verb, w.ObjectRef.Resource, w.ObjectRef.Name, w.ResponseStatus.Message))
		if count[line]++; count[line] == 1 {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}
