package process

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// CPU returns the CPU time of the process in user and kernel mode.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0, err
	}
	// utime and stime are fields 14 and 15. The second field is the name in parentheses and may contain spaces.
	_, rest, _ := strings.Cut(string(stat), ") ")
	var user, system int64
	if _, err := fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system); err != nil {
		return 0, fmt.Errorf("read the CPU time of %s: %w", p.name(), err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil // Linux fixes the unit USER_HZ at 100 per second
}

// MiB returns the current and the peak resident memory of the process.
func (p *Process) MiB() (now, peak float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0, 0, err
	}
	for field, mib := range map[string]*float64{"\nVmRSS:": &now, "\nVmHWM:": &peak} {
		_, kib, _ := strings.Cut(string(status), field)
		if _, err := fmt.Sscan(kib, mib); err != nil {
			return 0, 0, fmt.Errorf("read the memory of %s: %w", p.name(), err)
		}
		*mib /= 1024
	}
	return now, peak, nil
}
