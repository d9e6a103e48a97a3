package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/example/memcached-operator/test/internal/process"
)

// startControlPlane starts etcd and kube-apiserver with envtest, writes a kubeconfig, and installs the CRDs of crdDirs and
// of Metacontroller. The API server logs the requests of the audited users.
func (c *Cluster) startControlPlane(crdDirs, audited []string) error {
	bin := filepath.Join(c.dir, "bin")
	etcdLauncher, err := writeLauncher(bin, c.programs["etcd"])
	if err != nil {
		return err
	}
	apiServerLauncher, err := writeLauncher(bin, c.programs["kube-apiserver"])
	if err != nil {
		return err
	}
	logs, err := os.OpenFile(filepath.Join(c.logs, "kube-apiserver.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	c.env = &envtest.Environment{
		CRDDirectoryPaths:     append(crdDirs, filepath.Join(c.root, "test", "cluster", "crds")),
		ErrorIfCRDPathMissing: true,
		CRDInstallOptions:     envtest.CRDInstallOptions{MaxTime: time.Minute}, // other suites may start at the same time
	}
	c.env.ControlPlane.KubectlPath = c.Kubectl
	c.env.ControlPlane.Etcd = &envtest.Etcd{Path: etcdLauncher, DataDir: filepath.Join(c.dir, "etcd")}
	server := c.env.ControlPlane.GetAPIServer()
	server.Path, server.CertDir = apiServerLauncher, filepath.Join(c.dir, "apiserver")
	server.Out, server.Err = logs, logs
	server.Configure().
		// envtest disables the ServiceAccount plugin because envtest creates no default ServiceAccount. Here
		// kube-controller-manager creates it.
		Disable("disable-admission-plugins").
		// The endpoints of the Service "kubernetes" must not be loopback addresses.
		Set("advertise-address", "127.0.0.1").
		Set("endpoint-reconciler-type", "none")
	if len(audited) > 0 {
		policy, err := c.writeAuditPolicy(audited)
		if err != nil {
			return err
		}
		server.Configure().Set("audit-policy-file", policy).Set("audit-log-path", c.AuditLog)
	}
	if c.Config, err = c.env.Start(); err != nil {
		return err
	}
	c.Kubeconfig = filepath.Join(c.dir, "kubeconfig")
	if err := os.WriteFile(c.Kubeconfig, c.env.KubeConfig, 0o600); err != nil {
		return err
	}
	c.Client, err = client.NewWithWatch(c.Config, client.Options{})
	return err
}

// startNodes starts kube-controller-manager, kube-scheduler and kwok, and creates three nodes in three zones, and volumes. kwok
// simulates their kubelets.
func (c *Cluster) startNodes(ctx context.Context) error {
	kwokAddress, err := process.FreeAddress()
	if err != nil {
		return err
	}
	kubeconfig := "--kubeconfig=" + c.Kubeconfig
	for _, command := range [][]string{
		{"kube-controller-manager", kubeconfig, "--leader-elect=false", "--secure-port=0",
			"--service-account-private-key-file=" + filepath.Join(c.dir, "apiserver", "sa-signer.key"),
			"--kube-api-qps=500", "--kube-api-burst=1000", "--horizontal-pod-autoscaler-sync-period=1s",
			"--node-monitor-grace-period=20s", "--node-monitor-period=2s"},
		{"kube-scheduler", kubeconfig, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=1000"},
		// A node whose lease is not renewed for 20 seconds becomes NotReady, and so do its pods. kwok renews leases every 3 seconds.
		{"kwok", kubeconfig, "--config=" + filepath.Join(c.root, "test", "cluster", "kwok.yaml"), "--manage-all-nodes=true", "--node-lease-duration-seconds=12", "--server-address=" + kwokAddress},
	} {
		if _, err := c.Run(c.programs[command[0]], command[1:]...); err != nil {
			return err
		}
	}
	for _, zone := range []string{"a", "b", "c"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name:        "node-" + zone,
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
			Labels: map[string]string{
				corev1.LabelHostname:     "node-" + zone,
				corev1.LabelOSStable:     "linux",
				corev1.LabelTopologyZone: "zone-" + zone,
			},
		}}
		if err := c.Client.Create(ctx, node); err != nil {
			return fmt.Errorf("create node %s: %w", node.Name, err)
		}
	}
	return c.createVolumes(ctx)
}

// RestartAPIServer kills the API server and starts it on the same port with the same state. A graceful stop would wait a
// minute for all watches to end.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	if c.env == nil {
		return c.restartExistingAPIServer(ctx)
	}
	server := c.env.ControlPlane.APIServer
	id, err := os.ReadFile(filepath.Join(c.dir, "bin", "kube-apiserver.pid"))
	if err != nil {
		return fmt.Errorf("find the process of kube-apiserver: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(id)))
	if err != nil {
		return fmt.Errorf("find the process of kube-apiserver: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill kube-apiserver: %w", err)
	}
	// server.Stop fails until envtest has noticed that the process exited.
	if err := poll(ctx, 10*time.Second, "kube-apiserver exits", func(context.Context) error { return server.Stop() }); err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start kube-apiserver again: %w", err)
	}
	return nil
}
