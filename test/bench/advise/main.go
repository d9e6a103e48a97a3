// Advise compares the hit ratios that the command advise predicts with those that servers had. The arguments are recordings of three
// servers with half, once and twice the memory, which got the same commands.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := compare(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "advise:", err)
		os.Exit(1)
	}
}
