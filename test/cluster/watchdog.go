package cluster

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// watchdogScript waits for the end of its input, which comes when the harness closes it or dies, then kills each process
// that has left its id in the folder, and removes the folder. After a clean stop there is no folder, and nothing to do.
const watchdogScript = `
cat >/dev/null
[ -d "$1" ] || exit 0
for file in "$1"/bin/*.pid; do kill -KILL "$(cat "$file")"; done
while ! rm -rf "$1"; do sleep 1; done
`

// watchdog cleans up after a harness that had no time to: a test that panicked or ran into its timeout, a demo that was
// killed. It shares no process group with the harness, so what ends one does not end the other.
type watchdog struct {
	input io.Closer
	cmd   *exec.Cmd
}

func startWatchdog(folder string) (*watchdog, error) {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript, "watchdog", folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	return &watchdog{input: input, cmd: cmd}, nil
}

// stop ends the watchdog, which does its work if the folder still exists.
func (w *watchdog) stop() error {
	_ = w.input.Close()
	return w.cmd.Wait()
}
