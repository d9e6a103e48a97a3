package composite

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/text"
)

const (
	// maxSpecValues is the number of values that spec may have. Real ones have hundreds. Metacontroller asks for the related objects of all parents, one
	// after the other, so those of parents that a tenant changes again and again delay all others. Quantities take the most time.
	maxSpecValues = 2_000
	// MaxSpecBytes is the size that spec may have as JSON. Real ones have at most 20 kB.
	MaxSpecBytes = 32 << 10

	// MaxStatusBytes and maxStatusValues limit the status, which lists all pods with their addresses: that of 1,000 servers with the longest names has
	// 535 kB, and that of 8,000 pods 400 kB. Of a larger one, the large members count as lost.
	MaxStatusBytes  = 576 << 10
	maxStatusValues = 20_000
	// maxMemberBytes is the size of the members that are not lost, such as conditions: without the times of their last transitions, a status would
	// differ at each sync, and Metacontroller would write that of a deleted parent again and again.
	maxMemberBytes = 32 << 10

	// maxParentBytes is the size that a parent may have. With a status of the largest size it is still less than the 1.5 MiB that etcd stores.
	maxParentBytes = 896 << 10

	// maxEdits is the number of entries that managedFields may have. With more, the time of the last edit is unknown. Real ones have fewer than ten.
	maxEdits = 100
)

// limit removes parts that are too large, and all finalizers but the one that hooks read. It returns an error if spec is too large.
func (p *parentParts) limit() error {
	if isLargeStatus(p.Status) {
		p.Status = smallMembers(p.Status)
	}
	p.Metadata.Finalizers = orphanFinalizer(p.Metadata.Finalizers)
	if size := len(p.Spec); size > MaxSpecBytes {
		p.Spec = nil
		return &ParentError{fmt.Errorf("spec has %d bytes as JSON, but at most %d are allowed", size, MaxSpecBytes)}
	}
	if values := countValues(p.Spec); values > maxSpecValues {
		p.Spec = nil
		return &ParentError{fmt.Errorf("spec has %d values in its lists and fields, but at most %d are allowed", values, maxSpecValues)}
	}
	if text.IsDeep(p.Spec) {
		p.Spec = nil
		return &ParentError{fmt.Errorf("spec is nested more than %d levels deep", text.MaxDepth)}
	}
	return nil
}

func isLargeStatus(status jsontext.Value) bool {
	return len(status) > MaxStatusBytes || countValues(status) > maxStatusValues || text.IsDeep(status)
}

// smallMembers returns a status without its large members; nil if the others are large together, or if it is larger than etcd stores.
func smallMembers(status jsontext.Value) jsontext.Value {
	if len(status) > 2*maxParentBytes || text.IsDeep(status) {
		return nil
	}
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(status, &members, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil
	}
	maps.DeleteFunc(members, func(_ string, member jsontext.Value) bool { return len(member) > maxMemberBytes })
	small, err := jsonv2.Marshal(members)
	if err != nil || isLargeStatus(small) {
		return nil
	}
	return small
}

// orphanFinalizer returns the finalizers without all others than the one that keeps children.
func orphanFinalizer(finalizers jsontext.Value) jsontext.Value {
	orphan := strconv.Quote(metav1.FinalizerOrphanDependents)
	if !bytes.Contains(finalizers, []byte(orphan)) {
		return nil
	}
	return jsontext.Value("[" + orphan + "]")
}
