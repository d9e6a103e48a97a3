package cluster

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// watchdogScript waits for the end of its input, which comes when the harness closes it or dies. Then it kills each process
// with a PID file in the directory, and removes the directory. After a clean stop the directory does not exist.
const watchdogScript = `
cat >/dev/null
[ -d "$1" ] || exit 0
for file in "$1"/bin/*.pid; do kill -KILL "$(cat "$file")"; done
while ! rm -rf "$1"; do sleep 1; done
`

// watchdog cleans up after a test that panicked or timed out, or a demo that was killed. It runs in its own session, so
// signals to the harness do not reach it.
type watchdog struct {
	input io.Closer
	cmd   *exec.Cmd
}

func startWatchdog(dir string) (*watchdog, error) {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript, "watchdog", dir)
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

// stop ends the watchdog, which cleans up if the directory still exists.
func (w *watchdog) stop() error {
	_ = w.input.Close()
	return w.cmd.Wait()
}
