// Memcached-operator runs Memcached on Kubernetes. It serves the hooks of Metacontroller's composite controllers.
package main

import (
	"os"

	"github.com/example/memcached-operator/webhook/command"
)

// version is set by the linker.
var version string

func main() { os.Exit(command.Main(version)) }
