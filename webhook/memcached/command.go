package memcached

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"
)

// command is memcached's command line. Each flag and value is an argument of its own: memcached reads "-m=64" as a limit
// of 0 and exits.
func command(spec *Spec, size sizing) []string {
	cache := &spec.Cache
	command := []string{"memcached", "-m", strconv.FormatInt(size.items, 10)}
	if verbosity := ptr.Deref(cache.Verbosity, defaultVerbosity); verbosity > 0 {
		command = append(command, "-"+strings.Repeat("v", int(verbosity)))
	}
	command = append(command,
		"-c", strconv.FormatInt(maxConnections(cache), 10),
		"-t", strconv.FormatInt(int64(ptr.Deref(cache.Threads, defaultThreads)), 10),
		"-I", maxItemSize(cache),
		"-p", strconv.Itoa(port),
		"-U", "0", // a UDP port lets anyone use the server to flood others: https://docs.memcached.org/advisories/ddos/
	)
	if cache.DisableEvictions {
		command = append(command, "-M")
	}
	return slices.Concat(command, tlsArgs(spec), authArgs(spec), listenArgs(spec), cache.ExtraArgs)
}

// itemSizeKiB reads a size as 512k or 8m; 0 when it is none.
func itemSizeKiB(size string) int64 {
	digits, unit := size, int64(0)
	if length := len(size); length > 0 {
		digits, unit = size[:length-1], map[byte]int64{'k': 1, 'm': 1024}[size[length-1]]
	}
	number, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || number < 0 || digits[0] == '+' {
		return 0
	}
	return number * unit
}
