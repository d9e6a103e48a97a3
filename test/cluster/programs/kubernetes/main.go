// Kubernetes is the API server, the controller manager or the scheduler, as the name says by which it is called. In one program, what they share is
// linked once.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	name := filepath.Base(os.Args[0])
	command, found := commands[name]
	if !found {
		fmt.Fprintf(os.Stderr, "%s is no program of Kubernetes that is linked here\n", name)
		os.Exit(1)
	}
	os.Exit(cli.Run(command()))
}
