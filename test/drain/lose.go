package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/text"
)

// losing is how nodes are lost and restored.
type losing struct {
	nodes            []string
	command, restore string
	after            time.Duration
	load             *paired.Load
}

func (l *losing) addFlags() {
	flag.Func("node", "`name` of a node for --action lose; repeat the flag for several, one after the other", func(name string) error {
		l.nodes = append(l.nodes, name)
		return nil
	})
	flag.StringVar(&l.command, "lose-command", "", "`command` of the shell after which the node {node} does not respond")
	flag.StringVar(&l.restore, "restore-command", "", "`command` of the shell that restores the node {node}")
	flag.DurationVar(&l.after, "restore-after", 0, "`duration` between both; by default, until other servers have all keys")
}

// settlingTime is for the last proxies of the move.
const settlingTime = 20 * time.Second

// loseEach loses the nodes, one after the other, and restores each.
func (c *cluster) loseEach(ctx context.Context, begin func(string)) error {
	for _, node := range c.lose.nodes {
		if err := c.loseNode(ctx, node, begin); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) loseNode(ctx context.Context, node string, begin func(string)) error {
	pods, err := c.servers(ctx)
	if err != nil {
		return err
	}
	lost := slotsOn(pods, node)
	c.lose.load.SetApart(func(item int) bool { return lost[copier.ServerOf([]byte(paired.KeyOf(item)), len(lost))] })
	begin("node fails")
	start := time.Now()
	defer c.printConditions(ctx, start)()
	if err := shell(ctx, c.lose.command, node); err != nil {
		return err
	}
	if c.lose.after > 0 {
		err = wait(ctx, c.lose.after)
	} else {
		err = c.awaitHealed(ctx, begin)
	}
	if err == nil {
		begin("node returns")
		err = shell(ctx, c.lose.restore, node)
	}
	if err == nil {
		err = c.await(ctx)
	}
	fmt.Printf("%s: %s; settled again after %.0f s\n", node, writesAgain(start, c.lose.load.Writes()), time.Since(start).Seconds())
	return err
}

// slotsOn reports for each slot whether its server is on a node. The servers are those of a settled cache, in the order of their ordinals.
func slotsOn(servers []corev1.Pod, node string) (on []bool) {
	ordinal := func(pod corev1.Pod) int {
		n, _ := strconv.Atoi(pod.Name[strings.LastIndex(pod.Name, "-")+1:])
		return n
	}
	for _, pod := range slices.SortedFunc(slices.Values(servers), func(a, b corev1.Pod) int { return cmp.Compare(ordinal(a), ordinal(b)) }) {
		on = append(on, pod.Spec.NodeName == node)
	}
	return on
}

// writesAgain reports when writes failed for the first and for the last time after a start.
func writesAgain(start time.Time, writes []paired.Write) string {
	failed := slices.DeleteFunc(slices.Clone(writes), func(w paired.Write) bool { return !w.Failed || w.At.Before(start) })
	if len(failed) == 0 {
		return fmt.Sprintf("none of %d writes of its keys failed", len(writes))
	}
	seconds := func(w paired.Write) float64 { return w.At.Sub(start).Seconds() }
	return fmt.Sprintf("writes of its keys failed from %.1f s until %.1f s, %d of %d", seconds(failed[0]), seconds(failed[len(failed)-1]), len(failed), len(writes))
}

// awaitHealed waits until keys have failed, and other servers have all keys. The cache can stay in progress until the node is back.
func (c *cluster) awaitHealed(ctx context.Context, begin func(string)) error {
	for failed := false; ; {
		m, err := c.memcached(ctx)
		degraded := meta.IsStatusConditionTrue(m.Status.Conditions, "Degraded")
		if failed = failed || degraded; err == nil && failed && !degraded && m.Status.Proxy.Move == nil {
			begin("a spare serves")
			return wait(ctx, settlingTime)
		}
		if err := wait(ctx, time.Second); err != nil {
			return err
		}
	}
}

// printConditions prints what changes in the conditions, until stop is called.
func (c *cluster) printConditions(ctx context.Context, start time.Time) (stop func()) {
	var last v1alpha1.Memcached
	return inBackground(ctx, time.Second, func(ctx context.Context) {
		m, err := c.memcached(ctx)
		if err != nil {
			return
		}
		for _, now := range m.Status.Conditions {
			before := meta.FindStatusCondition(last.Status.Conditions, now.Type)
			if before == nil || before.Message != now.Message || before.Status != now.Status || before.Reason != now.Reason {
				fmt.Printf("%6.0f s %s %s %s: %s\n", time.Since(start).Seconds(), now.Type, now.Status, now.Reason, text.Lines(now.Message))
			}
		}
		last = m
	})
}

func shell(ctx context.Context, command, node string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(command, "{node}", node))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
