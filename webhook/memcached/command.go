package memcached

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

const (
	defaultMaxConnections = 1024
	defaultThreads        = 4
	defaultMaxItemSize    = "1m"
	defaultVerbosity      = 1
)

func (c *Cache) maxConnections() int64 { return deref(c.MaxConnections, defaultMaxConnections) }

func (c *Cache) maxItemSize() string { return cmp.Or(c.MaxItemSize, defaultMaxItemSize) }

// command is memcached's command line. Each flag and value is an argument of its own: memcached reads "-m=64" as a limit
// of 0 and exits.
func command(spec *Spec, size sizing) []string {
	cache := &spec.Cache
	command := []string{"memcached", "-m", strconv.FormatInt(size.items, 10)}
	if verbosity := deref(cache.Verbosity, defaultVerbosity); verbosity > 0 {
		command = append(command, "-"+strings.Repeat("v", int(verbosity)))
	}
	command = append(command,
		"-c", strconv.FormatInt(cache.maxConnections(), 10),
		"-t", strconv.FormatInt(int64(deref(cache.Threads, defaultThreads)), 10),
		"-I", cache.maxItemSize(),
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
