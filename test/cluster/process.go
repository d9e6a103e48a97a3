package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/example/memcached-operator/test/internal/process"
)

// Check returns an error if a program of the cluster has exited.
func (c *Cluster) Check() error {
	for _, p := range c.processes {
		if p.Exited() {
			name := filepath.Base(p.Path)
			return fmt.Errorf("%s exited; end of its log:\n%s", name, c.Log(name, 2000))
		}
	}
	return nil
}

// Log returns the last bytes of a program's log.
func (c *Cluster) Log(name string, bytes int) string {
	text, err := os.ReadFile(filepath.Join(c.logs, name+".log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-bytes):])
}

// Run starts a program with the cluster's kubeconfig and its own log file. Stop ends the program.
func (c *Cluster) Run(program string, args ...string) (*process.Process, error) {
	return c.runAs(c.Kubeconfig, program, args)
}

func (c *Cluster) runAs(kubeconfig, program string, args []string) (*process.Process, error) {
	launcher, err := writeLauncher(filepath.Join(c.dir, "bin"), program)
	if err != nil {
		return nil, err
	}
	p := &process.Process{
		Path: launcher,
		Args: args,
		Env:  []string{"KUBECONFIG=" + kubeconfig},
		Log:  filepath.Join(c.logs, filepath.Base(program)+".log"),
		// In a separate process group Ctrl-C at the terminal reaches only this program, which stops its children in order.
		Attr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	c.processes = append(c.processes, p)
	return p, nil
}
