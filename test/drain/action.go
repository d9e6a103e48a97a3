package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
)

// actions are what happens to the servers. Each names its steps by begin.
var actions = map[string]func(c *cluster, ctx context.Context, begin func(step string)) error{
	"drain":   (*cluster).eachNode,
	"delete":  (*cluster).eachServer,
	"restart": (*cluster).restart,
	"patch":   (*cluster).change,
	"lose":    (*cluster).loseEach,
	"none":    func(*cluster, context.Context, func(string)) error { return nil },
}

// settling is the step after kubectl has returned.
const settling = "until it is settled"

// steadyAgain is the step after the last action.
const steadyAgain = "steady again"

// eachNode drains the nodes that have servers now, one after the other.
func (c *cluster) eachNode(ctx context.Context, begin func(string)) error {
	pods, err := c.servers(ctx)
	if err != nil {
		return err
	}
	var nodes []string
	for _, pod := range pods {
		nodes = append(nodes, pod.Spec.NodeName)
	}
	slices.Sort(nodes)
	for i, node := range slices.Compact(nodes) {
		begin(fmt.Sprintf("drain node %d", i+1))
		fmt.Printf("draining %s\n", node)
		if err := c.drain(ctx, node, begin); err != nil {
			return err
		}
	}
	return nil
}

// drain drains a node, and uncordons it when the cache is ready again, or after an error.
func (c *cluster) drain(ctx context.Context, node string, begin func(string)) error {
	_, err := c.kubectl(ctx, "drain", node, "--ignore-daemonsets", "--delete-emptydir-data")
	if err == nil {
		begin(settling)
		err = c.await(ctx)
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, failed := c.kubectl(limited, "uncordon", node)
	return errors.Join(err, failed)
}

// eachServer deletes the servers, one after the other.
func (c *cluster) eachServer(ctx context.Context, begin func(string)) error {
	pods, err := c.servers(ctx)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		begin("delete " + pod.Name)
		if _, err := c.kubectl(ctx, "delete", "pod", pod.Name); err != nil {
			return err
		}
		begin(settling)
		if err := c.await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// restart restarts all servers, as users do.
func (c *cluster) restart(ctx context.Context, begin func(string)) error {
	begin("restart")
	if _, err := c.kubectl(ctx, "rollout", "restart", "statefulset/"+c.name); err != nil {
		return err
	}
	if _, err := c.kubectl(ctx, "rollout", "status", "statefulset/"+c.name); err != nil {
		return err
	}
	begin(settling)
	return c.await(ctx)
}

// change patches the Memcached.
func (c *cluster) change(ctx context.Context, begin func(string)) error {
	begin("kubectl patch")
	if _, err := c.kubectl(ctx, "patch", "memcached", c.name, "--type", "merge", "--patch", c.patch); err != nil {
		return err
	}
	return c.await(ctx)
}

// kill kills a running proxy, the pod of the Job that moves items, or what a command kills. It returns what it has chosen.
func (c *cluster) kill(ctx context.Context, random func(int) int, commands []string) (string, error) {
	var choices []string
	for _, label := range []string{children.ProxyLabel, children.MoveLabel} {
		pods, err := c.pods(ctx, label)
		if err != nil {
			return "nothing", err
		}
		pods = slices.DeleteFunc(pods, func(pod corev1.Pod) bool {
			return pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil
		})
		if len(pods) > 0 {
			choices = append(choices, pods[random(len(pods))].Name)
		}
	}
	choices = append(choices, commands...)
	if len(choices) == 0 {
		return "nothing", nil
	}
	choice := choices[random(len(choices))]
	if slices.Contains(commands, choice) {
		return choice, exec.CommandContext(ctx, "sh", "-c", choice).Run()
	}
	_, err := c.kubectl(ctx, "delete", "pod", choice, "--grace-period=0", "--force")
	return choice, err
}
