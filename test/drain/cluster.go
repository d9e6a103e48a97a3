package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// cluster is a cache in a cluster, as kubectl shows it.
type cluster struct {
	namespace, name, patch string
	lose                   losing
}

// kubectl runs kubectl, and returns what it prints.
func (c *cluster) kubectl(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "kubectl", append([]string{"--namespace", c.namespace}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

func (c *cluster) get(ctx context.Context, into any, args ...string) error {
	out, err := c.kubectl(ctx, append([]string{"get", "--output", "json"}, args...)...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// pods returns the pods of the cache with a label.
func (c *cluster) pods(ctx context.Context, label string) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := c.get(ctx, &list, "pods", "--selector", label+"="+c.name)
	return list.Items, err
}

// servers returns the pods of the servers, and those that stand in for them.
func (c *cluster) servers(ctx context.Context) ([]corev1.Pod, error) {
	return c.pods(ctx, children.NameLabel)
}

func (c *cluster) memcached(ctx context.Context) (m v1alpha1.Memcached, err error) {
	err = c.get(ctx, &m, "memcached", c.name)
	return m, err
}

// memory returns the memory for items of all servers.
func (c *cluster) memory(ctx context.Context) (int64, error) {
	m, err := c.memcached(ctx)
	return m.Status.Memory.Items.Value() * int64(m.Status.Replicas), err
}

// await waits until the cache is ready, and neither items nor pods move. It looks several times, because the status follows the pods, also
// if the operator is killed meanwhile.
func (c *cluster) await(ctx context.Context) error {
	for times := 0; times < 5; {
		m, err := c.memcached(ctx)
		if err == nil && m.Spec.Proxy == nil {
			return fmt.Errorf("the Memcached %s has no spec.proxy", c.name)
		}
		pods, failed := c.servers(ctx)
		if err = errors.Join(err, failed); err == nil && settled(m, pods) {
			times++
		} else {
			times = 0
		}
		if waited := wait(ctx, time.Second); waited != nil {
			return errors.Join(fmt.Errorf("the Memcached %s is not ready or moves items: %w", c.name, waited), err)
		}
	}
	return nil
}

// settled reports whether a cache is ready with the pods of its size alone, and nothing is under way.
func settled(m v1alpha1.Memcached, pods []corev1.Pod) bool {
	conditions := m.Status.Conditions
	if m.Status.ObservedGeneration != m.Generation || !meta.IsStatusConditionTrue(conditions, "Ready") ||
		!meta.IsStatusConditionFalse(conditions, "Progressing") || m.Status.Proxy == nil || m.Status.Proxy.Move != nil {
		return false
	}
	for _, pod := range pods {
		ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		if !ready || pod.DeletionTimestamp != nil {
			return false
		}
	}
	return len(pods) == int(m.Status.Replicas) && m.Spec.Size != nil && len(pods) == int(*m.Spec.Size)
}
